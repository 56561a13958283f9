import type { StoredMock } from '../contract/given.js';
import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { Problem } from '../errors.js';

/** The helper of templates that counts. */
const COUNTS = /\{\{[^}]*\bseq\b/;

/** Fields that count messages or keep something of them, and what that is. */
const SHARED_FIELDS: readonly (readonly [field: string, what: string])[] = [
  ['state', 'depends on state, which mocks may set'],
  ['set_state', 'sets state'],
  ['collection', 'works on the rows of a collection'],
  ['once', 'keeps its first answers'],
  ['emit', 'pushes into open streams'],
  ['respond', 'is answered by a function, which may keep something'],
];

const ADVICE =
  'which replicas do not share yet; `scope: replica` lets each replica do so for the messages that it receives itself';

/** Whether what a mock answers depends on how often it has matched, on all replicas unless it says `scope: replica`. */
export function countsMatches(value: StoredMock, compiled: CompiledMock<Message>): boolean {
  return (
    value.scope !== 'replica' &&
    (value.times !== undefined || compiled.isOrdered === true || compiled.limit !== undefined)
  );
}

/**
 * What a mock would have to share with the other replicas of a cluster; nothing for one that says `scope: replica`.
 *
 * @param canCount - whether replicas count the matches of the kind together
 * @returns a problem for each field, and one for the mock as a whole where it is the kind that says so
 */
export function findShared(
  value: StoredMock,
  compiled: CompiledMock<Message>,
  canCount: boolean,
): readonly Problem[] {
  if (value.scope === 'replica') return [];
  const problems = SHARED_FIELDS.flatMap(([field, what]) =>
    value[field] === undefined ? [] : [{ path: `/${field}`, message: `${what}, ${ADVICE}` }],
  );
  if (!canCount && value.times !== undefined)
    problems.unshift({ path: '/times', message: `counts its matches, ${ADVICE}` });
  if (problems.length > 0) return problems;
  if (!canCount && countsMatches(value, compiled))
    return [{ path: '', message: `answers in the order of its matches, ${ADVICE}` }];
  if (COUNTS.test(JSON.stringify(value)))
    return [{ path: '', message: `has a template with "seq", ${ADVICE}` }];
  return [];
}
