import type { ImportFile } from '@backlot/core/plugin';
import { httpMock } from '../shared/answer.js';
import { pointTo, textOf, type Tree, treeOf } from '@backlot/contracts';
import type { OperationTools } from './operation-tools.js';
import { responseAnswers, type ResponseAnswer } from './response.js';

/** An operation where it stands. */
export interface Operation {
  readonly operation: Tree;
  readonly document: ImportFile;
  readonly method: string;
  readonly path: string;
  /** The path as a pattern of a mock. */
  readonly pattern: string;
  readonly place: string;
  readonly webhooks: readonly Tree[];
}

/** How many examples of one response become mocks. */
const MOST_EXAMPLES = 20;

/**
 * Adds the mocks of an operation: one that answers, and before it those that answer what is asked for by `Prefer:
 * code=404`, `Prefer: example=name` or another `Accept`.
 */
export function* operationMocks(
  { operation, document, method, path, pattern, place, webhooks }: Operation,
  tools: OperationTools,
  mocks: Tree[],
): Generator<undefined, void, undefined> {
  const responses = treeOf(tools.references.follow({ value: operation['responses'], document }).value);
  const statuses = Object.keys(responses).filter((status) => /^(default|[1-5](\d\d|XX))$/i.test(status));
  const usual = statuses.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  const name = textOf(operation['operationId']) ?? `${method}${path}`;
  const request = { method: method.toUpperCase(), path: pattern };
  const response = (answer: ResponseAnswer): Tree => ({
    status: answer.status,
    headers: answer.headers,
    ...answer.body,
  });
  const calls = webhooks.length === 0 ? undefined : webhooks;
  if (usual === undefined) {
    tools.notes.approximated(place, 'an operation without responses is answered with 200 and no body');
    mocks.push(httpMock({ id: tools.ids.take(name), request, response: { status: 200 }, webhooks: calls }));
    return;
  }
  const hasSuccess = usual !== 'default' && rankOf(usual) < 300;
  const answers = new Map<string, readonly ResponseAnswer[]>();
  for (const status of statuses) {
    answers.set(
      status,
      responseAnswers(
        responses[status],
        { status, document, operation, hasSuccess, place: pointTo(pointTo(place, 'responses'), status) },
        tools,
      ),
    );
    yield;
  }
  const usualAnswers = answers.get(usual) ?? [];
  const [main] = usualAnswers;
  if (main === undefined) return;
  for (const [status, list] of answers) {
    const [first] = list;
    if (first === undefined) continue;
    if (status !== usual && first.status !== main.status) {
      mocks.push(
        httpMock({
          id: tools.ids.take(`${name}-${status}`),
          request: { ...request, headers: { Prefer: { regex: `\\bcode="?${first.status}\\b` } } },
          response: response(first),
        }),
      );
    }
    for (const answer of list.slice(0, MOST_EXAMPLES)) {
      if (answer.example === undefined || answer === main || !/^[\w .~-]{1,100}$/.test(answer.example))
        continue;
      mocks.push(
        httpMock({
          id: tools.ids.take(`${name}-${answer.example}`),
          request: {
            ...request,
            headers: {
              Prefer: { regex: `\\bexample="?${answer.example.replaceAll('.', String.raw`\.`)}("|,|;|$)` },
            },
          },
          response: response(answer),
        }),
      );
    }
  }
  for (const answer of usualAnswers) {
    if (answer === main || answer.example !== undefined || answer.type === main.type) continue;
    mocks.push(
      httpMock({
        id: tools.ids.take(`${name}-${answer.type}`),
        request: { ...request, headers: { Accept: { prefix: answer.type } } },
        response: response(answer),
        webhooks: calls,
      }),
    );
  }
  mocks.push(
    httpMock({
      id: tools.ids.take(name),
      request,
      response: response(main),
      webhooks: calls,
    }),
  );
}

/** Which response is the usual one: the least success, then the default, then whatever is least. */
function rankOf(status: string): number {
  if (status === 'default') return 300;
  const least = Number(status.replaceAll(/x/gi, '0'));
  return least >= 200 && least < 300 ? least : least + 1000;
}
