import { matchOf } from '../shared/match.js';
import { writtenJson, writtenOf } from '../shared/template.js';
import { isTree, textOf, treeOf, type Tree } from '../shared/trees.js';
import type { Content, ReaderTools } from './document.js';

/** The payload of an answer: `json`, or a text in the field that the kind has for it. */
export function contentOf(
  fields: Tree,
  field: string,
  { headers = {}, contentType }: { readonly headers?: unknown; readonly contentType?: unknown },
  tools: ReaderTools,
): Content {
  let isTemplate = false;
  const written = ((): { value: unknown; type: string } => {
    if (fields['json'] !== undefined) {
      const json = writtenJson(fields['json']);
      isTemplate = json.isTemplate;
      return { value: json.value, type: 'application/json' };
    }
    const text = textOf(fields[field]);
    if (text === undefined || fields[`${field}_encoding`] === 'base64') {
      if (fields[`${field}_base64`] !== undefined || fields[`${field}_encoding`] !== undefined)
        tools.approximated('a payload of bytes is left out');
      return { value: undefined, type: 'application/octet-stream' };
    }
    const plain = writtenOf(text);
    isTemplate = plain.isTemplate;
    return { value: plain.text, type: 'text/plain' };
  })();
  if (isTemplate) tools.approximated('the tags of a template are written as they are');
  const own = textOf(contentType);
  const texts = Object.entries(treeOf(headers)).flatMap(([name, value]): [string, unknown][] => {
    if (Array.isArray(value)) tools.approximated('of a header with several values the first is written');
    const one: unknown = Array.isArray(value) ? value[0] : value;
    return typeof one === 'string' ? [[name, writtenOf(one).text]] : isTree(one) ? [] : [[name, one]];
  });
  return { contentType: own ?? written.type, payload: written.value, headers: Object.fromEntries(texts) };
}

/** What a mock takes: any message, or one whose JSON has some members. */
export function takenBy(source: unknown, tools: ReaderTools): Content {
  const any: Content = { contentType: 'application/json', payload: undefined, headers: {} };
  if (source === undefined || source === '') return any;
  const match = matchOf(source);
  if (match.is === 'anything' || match.is === 'present') return any;
  if (match.is === 'json' && isTree(match.value)) {
    const { value } = writtenJson(match.value);
    const isFlat = Object.values(value as Tree).every((one) =>
      ['string', 'number', 'boolean'].includes(typeof one),
    );
    if (match.isPart && isFlat) return { ...any, constants: value as Tree };
    tools.approximated('JSON that a mock asks for is an example of what it takes');
    return { ...any, payload: value };
  }
  if (match.is === 'equals') {
    tools.approximated('a text that a mock asks for is an example of what it takes');
    return { contentType: 'text/plain', payload: match.text, headers: {} };
  }
  tools.approximated('a pattern of a payload is left out: any message is taken');
  return any;
}

/** Notes patterns of a mock that a document has no place for. */
export function noteUnsaid(mock: Tree, fields: readonly string[], tools: ReaderTools): void {
  for (const field of fields)
    if (mock[field] !== undefined) tools.approximated(`"${field}" of a mock is not asked for`);
}

/**
 * Notes the fields that are set, and that no document says.
 *
 * @param what - whose fields they are: `a mock`, `an answer`
 * @param said - those that are written, or noted in other words
 */
export function noteLost(what: string, fields: Tree, said: readonly string[], tools: ReaderTools): void {
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined && !said.includes(field)) tools.approximated(`"${field}" of ${what} is left out`);
}
