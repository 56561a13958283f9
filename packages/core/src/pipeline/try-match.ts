import type { MatchChanges } from '../contract/shared-changes.js';
import type { Found } from '../collections/operation.js';
import { tryOperations, type TriedOperations } from '../collections/run-operations.js';
import type { Message } from '../contract/message.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { toSharedJson } from '../values/shared-json.js';
import { matchWithData, type DataMatch } from './data-match.js';
import type { RolledFaults } from './roll-fault.js';
import type { KindRuntime } from './runtime.js';
import { namesOfCollections, scopeOfEffects } from './take-effects.js';

/** A match that nobody has counted yet, with what it would change on all hosts. */
export interface TriedMatch {
  readonly match: DataMatch;
  /** The number that it would have on all hosts; undefined for a mock whose answers do not depend on it. */
  readonly number: number | undefined;
  readonly rolled: RolledFaults;
  /** Undefined when it changes nothing. */
  readonly changes: MatchChanges | undefined;
  /** Reads what its answer lists, once the changes are made. */
  readonly finish: () => Promise<void> | undefined;
}

/**
 * Finds out what a match would change, and changes nothing.
 *
 * @param roll - rolls the faults; when one fires, the match is counted and changes nothing else
 */
export function tryMatch(
  { runtime, message }: { readonly runtime: KindRuntime; readonly message: Message },
  mock: EffectiveMock,
  roll: (match: DataMatch) => RolledFaults,
): TriedMatch {
  const { kind, counts, services } = runtime;
  const { shared, id } = mock;
  const number = shared === undefined ? undefined : shared.known + 1;
  const match = matchWithData(runtime, message, mock, number ?? counts.callsOf(mock.slot) + 1);
  const rolled = roll(match);
  const counted: MatchChanges =
    shared === undefined || number === undefined ? {} : { counts: [[kind, id, shared.since, number]] };
  if (rolled.fault !== undefined || match.first !== undefined) {
    const changes = number === undefined ? undefined : counted;
    return { match, number, rolled, changes, finish: () => undefined };
  }
  const numbers = [...(mock.sequences ?? [])].map(([name, uses]) => {
    const last = services.sequences.at(name);
    return [name, Array.from({ length: uses }, (_, index) => last + 1 + index)] as const;
  });
  const sequences = numbers.map(([name, own]) => [name, own.at(-1) ?? 0] as const);
  match.own = { state: new Map(), numbers: new Map(numbers.map(([name, own]) => [name, [...own]])) };
  const tried = tryData(runtime, match);
  const state = renderState(runtime, match);
  const pushes = renderPushes(runtime, match);
  const answers = keptAnswers(runtime, match, tried);
  const rows = tried?.changes ?? [];
  const lists = { state, sequences, rows, pushes, answers };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  const changes =
    number === undefined && filled.length === 0 ? undefined : { ...counted, ...Object.fromEntries(filled) };
  const finish = (): Promise<void> | undefined => {
    if (tried?.hasList !== true || match.name !== undefined) return undefined;
    const reading = runInSlices(tried.found(true));
    const take = (found: Found): void => void (match.found = found);
    if (reading instanceof Promise) return reading.then(take);
    take(reading);
    return undefined;
  };
  return { match, number, rolled, changes, finish };
}

function tryData(runtime: KindRuntime, match: DataMatch): TriedOperations | undefined {
  const operations = match.mock.data?.operations ?? [];
  if (operations.length === 0) return undefined;
  try {
    const tried = tryOperations(operations, match.effectScope('row'), runtime.services.collections);
    // What is listed at the end is read once the changes are made, but for an answer that is kept.
    if (!tried.hasList || match.name !== undefined) match.found = runAtOnce(tried.found(false));
    return tried;
  } catch (thrown) {
    runtime.log.error(`collection ${namesOfCollections(operations)} of mock "${match.mock.id}"`, thrown);
    return undefined;
  }
}

/** What the match sets, each value with those before it. */
function renderState({ log }: KindRuntime, match: DataMatch): NonNullable<MatchChanges['state']> {
  const { stateChanges = [], id } = match.mock;
  const state = match.own?.state ?? new Map<string, string | null>();
  const scope = scopeOfEffects(match);
  for (const [key, template] of stateChanges) {
    try {
      const name = key.constant ? key.source : key.render(scope);
      if (template === null) state.set(name, null);
      else state.set(name, template.constant ? template.source : template.render(scope));
    } catch (thrown) {
      log.error(`set_state "${key.source}" of mock "${id}" could not be rendered`, thrown);
    }
  }
  return [...state];
}

function renderPushes(
  { services, kind, log }: KindRuntime,
  match: DataMatch,
): NonNullable<MatchChanges['pushes']> {
  const { emits, id } = match.mock;
  if (emits === undefined) return [];
  const source = { mockId: id, scope: scopeOfEffects(match), log };
  return Array.from(services.emitter.render(emits, source), ({ data, ...push }) => ({
    ...push,
    ...{ data: toSharedJson(data), mock: id, of: kind },
  }));
}

/** The answer as others make it again; the numbers of `seq` that are left are those of the answer. */
function keptAnswers(
  { services }: KindRuntime,
  match: DataMatch,
  tried: TriedOperations | undefined,
): NonNullable<MatchChanges['answers']> {
  const { name, reading, found, call, own } = match;
  if (name === undefined || reading === undefined) return [];
  // What its operations could not do is not kept.
  if (tried === undefined && (match.mock.data?.operations.length ?? 0) > 0) return [];
  const same = match.mock.data?.once?.same?.render(match.effectScope('same'));
  for (const [of, left] of own?.numbers ?? []) reading.numbers.set(of, left.splice(0));
  const numbers = [...reading.numbers].map(([of, list]) => [of, [...list]] as const);
  const { now } = reading;
  const answer = { name, call, found: toSharedJson(found) as never, seed: services.seed, now, numbers };
  return [same === undefined ? answer : { ...answer, same }];
}
