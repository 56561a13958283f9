import type { ImportFile } from '@backlot/core/plugin';
import { headersOf, isJsonType, literalBody, statusOf, type AnswerBody } from '../shared/answer.js';
import { literal, literalJson } from '../shared/literal.js';
import { isTree, listOf, memberOf, pointTo, textOf, treeOf, type Tree } from '@backlot/contracts';
import { contentValues, mediaType } from './content-values.js';
import type { OperationTools } from './operation-tools.js';

/** One way in which a response is answered. */
export interface ResponseAnswer {
  readonly status: number;
  /** The content type without parameters; empty when there is no body. */
  readonly type: string;
  readonly headers: ReturnType<typeof headersOf>;
  readonly body: AnswerBody;
  /** The name of the example that it is, where examples have names. */
  readonly example?: string;
}

interface ResponsePlace {
  readonly status: string;
  readonly document: ImportFile;
  readonly operation: Tree;
  readonly place: string;
  /** Whether the operation says how it succeeds, so that the default is how it fails. */
  readonly hasSuccess: boolean;
}

/** The ways in which a response is answered, the usual one first: content types, and the examples of each. */
export function responseAnswers(
  given: unknown,
  { status: name, document: from, operation, place, hasSuccess }: ResponsePlace,
  tools: OperationTools,
): readonly ResponseAnswer[] {
  const { value: response, document } = tools.references.follow({ value: given, document: from });
  const status = name === 'default' ? (hasSuccess ? 500 : 200) : statusOf(name.replaceAll(/x/gi, '0'));
  if (status === undefined) {
    tools.notes.refused(place, `status ${name} cannot be answered by a mock`);
    return [];
  }
  if (name === 'default' && !hasSuccess)
    tools.notes.approximated(place, 'a response "default" is answered with status 200');
  const fields = headerFields(memberOf(response, 'headers'), document, place, tools);
  const contents = tools.isSwagger
    ? swaggerContent(treeOf(response), operation, tools.root)
    : memberOf(response, 'content');
  const answers: ResponseAnswer[] = [];
  for (const [written, media] of Object.entries(treeOf(contents)).slice(0, 20)) {
    const type = mediaType(written);
    for (const { value, example } of contentValues(
      treeOf(media),
      type,
      document,
      pointTo(pointTo(place, 'content'), written),
      tools,
    )) {
      answers.push({
        status,
        type: type.split(';')[0] ?? '',
        headers: headersOf([['Content-Type', type], ...fields]),
        body: bodyOf(value, type),
        ...(example === undefined ? {} : { example }),
      });
    }
  }
  if (answers.length === 0) answers.push({ status, type: '', headers: headersOf(fields), body: {} });
  // JSON is what most clients want, whatever the document has first.
  return answers.toSorted((a, b) => Number(isJsonType(b.type)) - Number(isJsonType(a.type)));
}

function bodyOf(value: unknown, type: string): AnswerBody {
  if (value === undefined) return {};
  if (typeof value === 'string' && !isJsonType(type)) return { body: literal(value) };
  // A text that is JSON is meant as that JSON by most authors.
  if (typeof value === 'string' && /^\s*[{[]/.test(value)) return literalBody(value, type);
  return { json: literalJson(value) };
}

function headerFields(
  headers: unknown,
  from: ImportFile,
  place: string,
  { references, sampler, isSwagger }: OperationTools,
): (readonly [string, string])[] {
  return Object.entries(treeOf(headers))
    .slice(0, 100)
    .flatMap(([name, given]): (readonly [string, string])[] => {
      const { value: header, document } = references.follow({ value: given, document: from });
      if (!isTree(header)) return [];
      const value =
        header['example'] ??
        sampler.sample(isSwagger ? header : (header['schema'] ?? { type: 'string' }), document, name);
      const text =
        textOf(value) ?? (isTree(value) || Array.isArray(value) ? JSON.stringify(value) : undefined);
      return text === undefined ? [] : [[name, literal(text)]];
    });
}

/** The content of a response of Swagger 2.0, as OpenAPI 3 has it. */
function swaggerContent(response: Tree, operation: Tree, root: Tree): Tree {
  const examples = treeOf(response['examples']);
  const produces = listOf(operation['produces'] ?? root['produces']).filter((one) => typeof one === 'string');
  const types = new Set([...Object.keys(examples), ...(response['schema'] === undefined ? [] : produces)]);
  if (types.size === 0 && response['schema'] !== undefined) types.add('application/json');
  return Object.fromEntries(
    Array.from(types, (type) => [
      type,
      {
        ...(Object.hasOwn(examples, type) ? { example: examples[type] } : {}),
        ...(response['schema'] === undefined ? {} : { schema: response['schema'] }),
      },
    ]),
  );
}
