import { changesRows } from '../collections/operation.js';
import type { Problem } from '../errors.js';
import type { CheckedMock } from './checked-mocks.js';

/** What replicas can do together for the mocks of a kind. */
export interface Sharing {
  /** Whether they count matches. */
  readonly counts: boolean;
  /** Whether they make together what matches change. */
  readonly changes: boolean;
  /** Fields that are also rendered where no message matches the mock, as the content of a file is for a listing. */
  readonly shown: readonly string[];
}

/** The helper of templates that counts, and one that reads state. */
const COUNTS = /\{\{[^}]*\bseq\b/;
const READS_STATE = /\{\{[^}]*\bstate\b/;

const ADVICE =
  'which replicas do not share; `scope: replica` lets each replica do so for the messages that it receives itself';

/** Whether what a mock answers depends on how often it has matched, on all replicas unless it says `scope: replica`. */
export function countsMatches({ value, compiled }: Pick<CheckedMock, 'value' | 'compiled'>): boolean {
  return (
    value.scope !== 'replica' &&
    (value.times !== undefined || compiled.isOrdered === true || compiled.limit !== undefined)
  );
}

/** Whether a match of a mock changes what others read, on all replicas unless it says `scope: replica`. */
export function changesShared({ value, core }: Pick<CheckedMock, 'value' | 'core'>): boolean {
  const { stateChanges, emits, data, sequences } = core;
  return (
    value.scope !== 'replica' &&
    (stateChanges !== undefined ||
      emits !== undefined ||
      sequences !== undefined ||
      data?.once !== undefined ||
      data?.operations.some(changesRows) === true)
  );
}

/**
 * What a mock would have to share with the other replicas of a cluster and cannot; nothing for one that says `scope: replica`.
 *
 * @returns a problem for each field, and one for the mock as a whole where it is the kind that says so
 */
export function findShared(mock: CheckedMock, sharing: Sharing): readonly Problem[] {
  const { value, core } = mock;
  if (value.scope === 'replica') return [];
  const problems = [...fieldsOf(mock, sharing)].map(([field, what]) => ({
    path: `/${field}`,
    message: `${what}, ${ADVICE}`,
  }));
  if (problems.length > 0) return problems;
  const whole = wholeOf(mock, sharing);
  if (whole !== undefined) return [{ path: '', message: `${whole}, ${ADVICE}` }];
  if (core.data?.once !== undefined && READS_STATE.test(textOf(value)))
    return [
      {
        path: '/once',
        message:
          'gives an answer again that reads state, which may be another one by then on the replica that is asked; put what it reads into a row of a collection, or say `scope: replica`',
      },
    ];
  return [];
}

/** Fields that count messages or keep something of them, and what that is. */
function* fieldsOf(
  { value, core }: CheckedMock,
  { counts, changes }: Sharing,
): Generator<readonly [field: string, what: string]> {
  if (!counts && value.times !== undefined) yield ['times', 'counts its matches'];
  if (value.respond !== undefined) yield ['respond', 'is answered by a function, which may keep something'];
  if (changes) return;
  if (value.set_state !== undefined) yield ['set_state', 'sets state'];
  if (core.data?.operations.some(changesRows) === true)
    yield ['collection', 'changes the rows of a collection'];
  if (value.once !== undefined) yield ['once', 'keeps its first answers'];
  if (value.emit !== undefined) yield ['emit', 'pushes into open streams'];
}

function wholeOf(mock: CheckedMock, { counts, changes, shown }: Sharing): string | undefined {
  if (!counts && countsMatches(mock)) return 'answers in the order of its matches';
  if (!COUNTS.test(textOf(mock.value))) return undefined;
  if (!changes) return 'has a template with "seq"';
  const field = shown.find((name) =>
    COUNTS.test(textOf((mock.value as Readonly<Record<string, unknown>>)[name])),
  );
  if (field !== undefined)
    return `has a template with "seq" in "${field}", which is also rendered where nothing counts, as for a list of what is there`;
  if (mock.hasOpenSequences || mock.core.sequences === undefined)
    return 'has a template with "seq" whose name is not in the template itself, or in a section that is repeated, so that it is not known before the answer is made how often it counts on';
  return undefined;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
