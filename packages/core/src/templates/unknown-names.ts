import { invalid } from '../errors.js';
import { suggest } from '../validation/suggest.js';
import { HELPERS } from './helpers/table.js';
import { ROOTS } from './lookup.js';

/** What other template languages write, and how it is written here. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  [
    'each',
    'a list is gone through by its own name, as in {{#request.body.items}}{{name}}{{/request.body.items}}',
  ],
  [
    'with',
    'a section goes into an object by its own name, as in {{#request.body.user}}{{name}}{{/request.body.user}}',
  ],
  [
    'range',
    'a list is gone through by its own name, as in {{#request.body.items}}{{name}}{{/request.body.items}}',
  ],
  [
    'for',
    'a list is gone through by its own name, as in {{#request.body.items}}{{name}}{{/request.body.items}}',
  ],
  ['lookup', 'an element of a list is read by {{at request.body.items 0}} or {{request.body.items.0}}'],
  ['jsonPath', 'a JSONPath is read by {{json_path request.body "$.items[0].id"}}'],
  ['xPath', 'an XPath is read by {{xpath request.body "//id"}}'],
  ['randomValue', 'a random text is made by {{rand_string 16 "hex"}}'],
  ['elif', 'a further condition is written {{else if request.body.a}}'],
]);

/**
 * The refusal of a tag that calls what is no helper.
 *
 * @param tag - the tag or call as it is written, without braces
 */
export function unknownHelper(name: string, tag: string): Error {
  const bare = name.replace(/^[.@]/, '');
  const other = OTHERS.get(bare);
  const meant = suggest(bare, [...HELPERS.keys()]);
  const hint =
    other ?? (meant === undefined ? 'a helper or a value comes first' : `did you mean {{${meant} ...}}?`);
  const quote = tag.includes('"') ? "'" : '"';
  return invalid(
    `template tag {{${tag}}}: there is no helper ${JSON.stringify(name)}; ${hint} (for the text itself write {{raw ${quote}{{${tag}}}${quote}}})`,
  );
}

/** @throws invalid for a section such as `{{#each}}`, outside of all sections, where it can be the name of nothing */
export function refuseOtherSection(name: string): void {
  if (OTHERS.has(name)) throw unknownHelper(name, `#${name}`);
}

/**
 * What a path outside of all sections most probably means, where it means nothing: `requst.body` is `request.body`.
 *
 * @returns `undefined` when it means something, or nothing comes near
 */
export function meantBy(path: string): string | undefined {
  const plain = path.replace(/^\./, '');
  const end = plain.search(/[.[]/);
  const first = end < 0 ? plain : plain.slice(0, end);
  if (ROOTS.has(first)) return undefined;
  if (end < 0)
    return suggest(
      first,
      [...HELPERS.keys()].filter((name) => HELPERS.get(name)?.fewest === 0),
    );
  const root = suggest(first, [...ROOTS]);
  return root === undefined ? undefined : root + plain.slice(end);
}

/** @throws invalid for an argument that is a path from a misspelt root */
export function refuseMisspelt(path: string): void {
  const meant = path.includes('.') ? meantBy(path) : undefined;
  if (meant !== undefined && !/^\d/.test(path)) {
    throw invalid(`template argument ${path} is not known; did you mean ${meant}?`);
  }
}
