import { formatDuration } from '../time/duration.js';
import type { CompiledExpectation } from './compile-expectation.js';
import type { SeenMessage } from './seen-messages.js';

/** How one expectation stands. */
export interface Standing {
  readonly hits: readonly SeenMessage[];
  readonly problem: string | undefined;
  /** Whether no message that may come can mend it. */
  readonly isFinal: boolean;
}

/** How all of them stand. */
export interface Judgement {
  readonly standings: readonly Standing[];
  /** Messages that nobody expected, of the kinds of which there must be no others. */
  readonly unexpected: readonly SeenMessage[];
}

interface Finding {
  readonly problem: string;
  readonly isFinal: boolean;
}

/** Says how the expectations stand with the messages that were seen, which are in the order of the log. */
export function judge(
  expectations: readonly CompiledExpectation[],
  isStrict: boolean,
  nothingElse: ReadonlySet<string>,
  seen: readonly SeenMessage[],
): Judgement {
  const hits = expectations.map((_, place) => seen.filter(({ fits }) => fits.includes(place)));
  const { taken, disorder } = isStrict ? assign(expectations, hits) : NO_ORDER;
  const byName = new Map(expectations.map(({ name }, place) => [name, hits[place] ?? []] as const));
  return {
    standings: expectations.map((expectation, place) => {
      const own = hits[place] ?? [];
      const free = own.filter(({ number }) => (taken.get(number) ?? place) === place);
      const finding =
        countFinding(expectation, own.length, free.length) ??
        disorder.get(place) ??
        beforeFinding(expectation, own, byName) ??
        apartFinding(expectation, own, byName);
      return { hits: own, problem: finding?.problem, isFinal: finding?.isFinal ?? false };
    }),
    unexpected: seen.filter(({ protocol, fits }) => fits.length === 0 && nothingElse.has(protocol)),
  };
}

const NO_ORDER: Assigned = { taken: new Map(), disorder: new Map() };

interface Assigned {
  /** Which expectation a message stands for, by the number of its entry. */
  readonly taken: ReadonlyMap<number, number>;
  readonly disorder: ReadonlyMap<number, Finding>;
}

/** Gives each expectation the first messages that come after those of the expectation before it. */
function assign(
  expectations: readonly CompiledExpectation[],
  hits: readonly (readonly SeenMessage[])[],
): Assigned {
  const taken = new Map<number, number>();
  const disorder = new Map<number, Finding>();
  let last = 0;
  let lastId = '0';
  for (const [place, { min }] of expectations.entries()) {
    if (min === 0) continue;
    const later = (hits[place] ?? []).filter(({ number }) => number > last).slice(0, min);
    for (const { number } of later) taken.set(number, place);
    if (later.length < min) {
      const missing = min - later.length;
      disorder.set(place, {
        problem: `out of order: ${missing} more must come after log entry ${lastId}, where those before it in the list end`,
        isFinal: false,
      });
    }
    last = later.at(-1)?.number ?? last;
    lastId = later.at(-1)?.id ?? lastId;
  }
  return { taken, disorder };
}

/** @param free - those that stand for no other expectation */
function countFinding({ min, max }: CompiledExpectation, count: number, free: number): Finding | undefined {
  const got = (number: number): string => `got ${number} ${number === 1 ? 'message' : 'messages'}`;
  if (count < min)
    return { problem: `${got(count)}, want ${min === max ? 'exactly' : 'at least'} ${min}`, isFinal: false };
  if (free <= max) return undefined;
  return { problem: `${got(free)}, want ${wantedMost(min, max)}`, isFinal: true };
}

function wantedMost(min: number, max: number): string {
  if (max === 0) return 'none';
  return min === max ? `exactly ${max}` : `at most ${max}`;
}

type ByName = ReadonlyMap<string | undefined, readonly SeenMessage[]>;

function beforeFinding(
  { before }: CompiledExpectation,
  own: readonly SeenMessage[],
  byName: ByName,
): Finding | undefined {
  const first = before === undefined ? undefined : byName.get(before)?.[0];
  const late = first && own.find(({ number }) => number > first.number);
  if (late === undefined) return undefined;
  return {
    problem: `log entry ${late.id} came after log entry ${first?.id} of "${before}", want all of them before`,
    isFinal: true,
  };
}

function apartFinding(
  { apart }: CompiledExpectation,
  own: readonly SeenMessage[],
  byName: ByName,
): Finding | undefined {
  if (apart === undefined) return undefined;
  const { min, max, from } = apart;
  const others = from === undefined ? own : (byName.get(from) ?? []);
  for (const message of own) {
    const earlier = others.findLast(({ number }) => number < message.number);
    if (earlier === undefined && from === undefined) continue;
    if (earlier === undefined)
      return { problem: `log entry ${message.id} has no message of "${from}" before it`, isFinal: true };
    const gap = message.time - earlier.time;
    if (gap >= min && gap <= max) continue;
    const wanted = gap < min ? `at least ${formatDuration(min)}` : `at most ${formatDuration(max)}`;
    return {
      problem: `log entry ${message.id} came ${formatDuration(gap)} after ${earlier.id}, want ${wanted}`,
      isFinal: true,
    };
  }
  return undefined;
}
