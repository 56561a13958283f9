import type { ExportNotes } from '@backlot/core/plugin';
import type { HttpAnswer, HttpCase } from '../http/http-case.js';
import type { Match } from '../shared/match.js';
import { withoutAbsent, type Tree } from '../shared/trees.js';
import { schemaOf } from './schema-of.js';

/** Headers that OpenAPI says elsewhere (4.8.12.1). */
const SAID_ELSEWHERE: readonly string[] = ['accept', 'content-type', 'authorization'];
const STATUS_TEXT: Readonly<Record<string, string>> = {
  1: 'Goes on.',
  2: 'It worked.',
  3: 'It is elsewhere.',
  4: 'The request is refused.',
  5: 'The server failed.',
};

/** The mocks of one method and path as an operation. */
export function operationOf(cases: readonly HttpCase[], operationId: string, notes: ExportNotes): Tree {
  const [first] = cases;
  if (cases.length > 1 && first !== undefined)
    notes.approximated(
      first.id,
      'mocks of one method and path are named examples of its responses: what tells their requests apart is not said',
    );
  const parameters = parametersOf(cases);
  const takesBody = cases.some(({ body, form }) => body !== undefined || form.length > 0);
  if (takesBody && first !== undefined)
    notes.approximated(first.id, 'what the body of a request must be is not said');
  return withoutAbsent({
    operationId,
    summary: cases
      .map(({ id }) => id)
      .join(', ')
      .slice(0, 200),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: takesBody ? { content: { [bodyType(cases)]: {} } } : undefined,
    responses: responsesOf(cases, notes),
  });
}

function bodyType(cases: readonly HttpCase[]): string {
  if (cases.some(({ form }) => form.length > 0)) return 'application/x-www-form-urlencoded';
  return cases.some(({ body }) => body?.is === 'json' || body?.is === 'json_path')
    ? 'application/json'
    : '*/*';
}

function parametersOf(cases: readonly HttpCase[]): readonly Tree[] {
  const all = new Map<string, Tree>();
  const isAsked = (place: 'query' | 'headers' | 'cookies', name: string): boolean =>
    cases.every((one) => one[place].some(([own, match]) => own === name && match.is !== 'absent'));
  for (const { path, query, headers, cookies } of cases) {
    if (path.is === 'names')
      for (const name of path.names)
        all.set(`path ${name}`, { name, in: 'path', required: true, schema: { type: 'string' } });
    const add = (place: 'query' | 'headers' | 'cookies', where: string, list: HttpCase['query']): void => {
      for (const [name, match] of list) {
        if (where === 'header' && SAID_ELSEWHERE.includes(name.toLowerCase())) continue;
        const key = `${where} ${where === 'header' ? name.toLowerCase() : name}`;
        if (match.is === 'absent' || all.has(key)) continue;
        all.set(key, {
          name,
          in: where,
          required: isAsked(place, name),
          schema: schemaOfMatch(match, cases.length),
        });
      }
    };
    add('query', 'query', query);
    add('headers', 'header', headers);
    add('cookies', 'cookie', cookies);
  }
  return [...all.values()];
}

/** @param mocks - how many mocks there are: where there are several, one of them does not say what all take */
function schemaOfMatch(match: Match, mocks: number): Tree {
  if (mocks > 1) return { type: 'string' };
  if (match.is === 'equals') return { type: 'string', const: match.text };
  return { type: 'string' };
}

function responsesOf(cases: readonly HttpCase[], notes: ExportNotes): Tree {
  const byStatus = new Map<string, { id: string; answer: HttpAnswer }[]>();
  for (const { id, answers } of cases) {
    for (const [index, answer] of answers.entries()) {
      const key = String(answer.status);
      const name = index === 0 ? id : `${id}-${index + 1}`;
      byStatus.set(key, [...(byStatus.get(key) ?? []), { id: name, answer }]);
    }
    if (answers.length > 1)
      notes.approximated(id, 'the answers of a sequence are examples, and their order is not said');
  }
  return Object.fromEntries(
    Array.from(byStatus, ([status, list]) => [
      status,
      withoutAbsent({
        description: STATUS_TEXT[status.charAt(0)] ?? 'An answer.',
        headers: headersOf(list.map(({ answer }) => answer)),
        content: contentOf(list, notes),
      }),
    ]),
  );
}

function headersOf(answers: readonly HttpAnswer[]): Tree | undefined {
  const headers = new Map<string, Tree>();
  for (const { headers: list } of answers)
    for (const [name, value] of list)
      if (name.toLowerCase() !== 'content-type' && !headers.has(name))
        headers.set(name, { schema: { type: 'string' }, example: value });
  return headers.size === 0 ? undefined : Object.fromEntries(headers);
}

function contentOf(
  list: readonly { id: string; answer: HttpAnswer }[],
  notes: ExportNotes,
): Tree | undefined {
  const byType = new Map<string, { id: string; value: unknown; isBytes: boolean }[]>();
  for (const { id, answer } of list) {
    const { body, type } = answer;
    if (body.is === 'none') continue;
    const isBytes = body.is === 'bytes';
    if (isBytes) notes.approximated(id, 'the bytes of a body are not said: it is described as binary');
    const value =
      body.is === 'json' ? body.value : body.is === 'text' ? textValue(body.text, type) : undefined;
    const key = type === '' ? 'text/plain' : type;
    byType.set(key, [...(byType.get(key) ?? []), { id, value, isBytes }]);
  }
  if (byType.size === 0) return undefined;
  return Object.fromEntries(
    Array.from(byType, ([type, examples]): readonly [string, Tree] => {
      const [first] = examples;
      if (first === undefined || first.isBytes)
        return [type, { schema: { type: 'string', format: 'binary' } }];
      const schema = schemaOf(first.value);
      if (examples.length === 1) return [type, { schema, example: first.value }];
      return [
        type,
        {
          schema: examples.every(({ value }) => JSON.stringify(schemaOf(value)) === JSON.stringify(schema))
            ? schema
            : {},
          examples: Object.fromEntries(examples.map(({ id, value }) => [exampleName(id), { value }])),
        },
      ];
    }),
  );
}

/** A text that is JSON, of a type of JSON, is that value. */
function textValue(text: string, type: string): unknown {
  if (!/[/+]json$/.test(type)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** OpenAPI has keys of components in ASCII; names of examples are taken in the same form. */
function exampleName(id: string): string {
  return id.replaceAll(/[^\w.-]+/g, '-') || 'example';
}
