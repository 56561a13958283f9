import { BacklotError, realElapsed, runInSlices, type RouteAnswer } from '@backlot/core/plugin';
import { readWait } from '../routes/wait-for.js';
import { askAll, refused } from './ask-all.js';
import { Budget, inTurn } from './budget.js';
import { gatherList, sumOf } from './gather-list.js';
import type { GatheredWait, Item } from './gathering.js';
import { mergeByTime } from './merge.js';
import { named } from './named.js';
import type { JsonAnswer, Question, Target } from './target.js';

/** How many there are on one replica. */
interface Held {
  readonly target: Target;
  readonly got: number;
}

/** What waiting takes beside the question. */
export interface Waited {
  readonly wait: GatheredWait;
  /** Those that are there now. */
  readonly targets: () => Promise<readonly Target[]>;
  /** Calls back when others come and go. @returns ends it */
  readonly onMembers: (callback: () => void) => () => void;
}

/**
 * Waits until the replicas have so many together. Each is asked how many it has, and then all wait for their share of what is missing:
 * when so many have come as are missing, one of them has got its share.
 *
 * @throws BacklotError `timeout` with `want` and `got`; `unavailable` that names a replica that does not answer
 */
export async function gatherWait(
  question: Question,
  { wait, targets, onMembers }: Waited,
): Promise<RouteAnswer> {
  const { count, timeout } = readWait(question.body);
  const end = realElapsed() + timeout;
  for (;;) {
    const changed = new AbortController();
    const forget = onMembers(() => changed.abort());
    try {
      const now = await targets();
      const held = await lookAtAll(question, count, now);
      const got = held.reduce((sum, each) => sum + each.got, 0);
      if (got >= count) return await collect(question, { held, count, wait });
      const left = end - realElapsed();
      if (left <= 0) throw late(question, count, got);
      const share = Math.ceil((count - got) / now.length);
      await waitForShare(question, held, { share, left, changed: changed.signal });
    } finally {
      forget();
      changed.abort();
    }
  }
}

/** How many each has now. */
async function lookAtAll(
  question: Question,
  count: number,
  targets: readonly Target[],
): Promise<readonly Held[]> {
  return await inTurn((budget) =>
    Promise.all(
      targets.map(async (target) => {
        const answer = await target.ask(withBody(question, { count, timeout: '0ms' }), budget);
        return { target, got: gotOf(target, answer, count) };
      }),
    ),
  );
}

function gotOf(target: Target, answer: JsonAnswer, count: number): number {
  if (answer.status < 300) return count;
  const { got } = (answer.body ?? {}) as { readonly got?: unknown };
  if (answer.status === 408 && typeof got === 'number') return got;
  throw refused(target, answer);
}

/** Resolves when one has got its share, when the time is over, and when there are others. */
async function waitForShare(
  question: Question,
  held: readonly Held[],
  { share, left, changed }: { readonly share: number; readonly left: number; readonly changed: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([question.signal, over.signal, changed]);
  const timeout = `${Math.ceil(left)}ms`;
  const waits = held.map(({ target, got }) =>
    waitAt(target, { ...withBody(question, { count: got + share, timeout }), waits: true, signal }),
  );
  const gone = new Promise<void>((resolve) => changed.addEventListener('abort', () => resolve()));
  try {
    await Promise.race([...waits, gone]);
  } finally {
    over.abort();
    await Promise.allSettled(waits);
  }
  question.signal.throwIfAborted();
}

async function waitAt(target: Target, question: Question): Promise<void> {
  let answer: JsonAnswer;
  try {
    answer = await target.ask(question, new Budget());
  } catch (thrown) {
    if (question.signal.aborted) return;
    throw thrown;
  }
  if (question.signal.aborted || answer.status < 300 || answer.status === 408) return;
  throw refused(target, answer);
}

/** The first so many of all. */
async function collect(
  question: Question,
  {
    held,
    count,
    wait,
  }: { readonly held: readonly Held[]; readonly count: number; readonly wait: GatheredWait },
): Promise<RouteAnswer> {
  const { list, counted } = wait;
  const all = held.map(({ target }) => target);
  const { where } = (question.body ?? {}) as { readonly where?: unknown };
  if (counted !== undefined && where === undefined)
    return (await gatherList({ ...question, route: counted, body: undefined }, list, all)).answer;
  return await inTurn(async (budget) => {
    const got = new Map(held.map((each) => [each.target, each.got]));
    const having = all.filter((target) => (got.get(target) ?? 0) > 0);
    const questionFor = (target: Target): Question =>
      withBody(question, { count: got.get(target) ?? 1, timeout: '0ms' });
    const answered = await askAll(having, questionFor, budget);
    const parts = answered.map(({ target, body }) => ({ target, items: itemsOf(body, list.within?.name) }));
    const merging = { time: list.time, limit: count, isNewest: false };
    const merged = await runInSlices(mergeByTime(parts, merging), question.signal);
    const items = merged.map(({ target, item }) => named(item, target, list.ids));
    if (list.within === undefined || counted === undefined) return { body: items };
    const asked = { ...question, route: counted, body: undefined, query: { limit: '0' } };
    const counts = await askAll(all, () => asked, budget);
    const sums = list.within.sums.map((field) => [field, sumOf(counts, field)] as const);
    return { body: { ...(counts[0]?.body as Item), ...Object.fromEntries(sums), [list.within.name]: items } };
  });
}

function itemsOf(body: unknown, within: string | undefined): readonly Item[] {
  return (within === undefined ? body : (body as Item)[within]) as readonly Item[];
}

function withBody(question: Question, fields: Item): Question {
  return { ...question, body: { ...(question.body as Item | undefined), ...fields } };
}

function late({ params }: Question, want: number, got: number): BacklotError {
  const { mockId } = params;
  const what = mockId === undefined ? '' : ` of "${mockId}"`;
  return new BacklotError('timeout', `the replicas have ${got}${what} together, want ${want}`, {
    fields: { ...(mockId === undefined ? {} : { mock_id: mockId }), want, got },
  });
}
