import type { Json } from '../contract/given.js';
import { LATER } from '../contract/matcher.js';
import type { ExplainedDelay, ExplainedFault, Explanation } from '../contract/kind.js';
import type { Message } from '../contract/message.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Protocol } from '../contract/protocol.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import type { MockStore } from '../mocks/mock-store.js';
import type { MockTable } from '../mocks/mock-table.js';
import type { CompiledFault } from '../pipeline/runtime.js';
import { boundsOf, type Delay } from '../time/delay.js';
import { isObject } from '../validation/pointer.js';
import { explainedEntry } from './explained-entry.js';

/** How many mocks that do not match are told of. */
const MAX_OTHERS = 256;

/**
 * Says which mock would answer a message and after what delays, and why others would not; nothing is counted. At each step it
 * has looked at a mock.
 *
 * @param entry - the message as the journal shows it, with the fields that mocks have for it, or in one line
 * @param fault - the fault of the kind
 * @throws BacklotError `invalid`
 */
export function* explainSteps(
  protocol: Protocol,
  table: MockTable,
  mocks: MockStore,
  entry: unknown,
  fault?: CompiledFault,
): Generator<undefined, Explanation> {
  const message = messageOf(protocol, explainedEntry(protocol, entry));
  const hit = hitBy(fault, message);
  const explained = hit === undefined ? {} : { fault: hit };
  const delaysOf = (matched: readonly EffectiveMock[]): Pick<Explanation, 'delays' | 'fault'> => ({
    ...delaysFor(matched, hit?.hits === false ? undefined : fault),
    ...explained,
  });
  function* othersThan(matched: readonly string[]): Generator<undefined, NearMiss[]> {
    const misses = yield* table.nearMissSteps(message, MAX_OTHERS);
    return misses.filter((miss) => !matched.includes(miss.mock_id));
  }
  const { mode, ownWhenUnmatched = false } = protocol.mocks;
  const unmatched = ownWhenUnmatched ? 'own' : 'unmatched';
  if (mode === 'items')
    return {
      outcome: 'items',
      mock_ids: mocks.list().map(({ id }) => id),
      ...delaysOf([]),
      others: [],
    };
  if (mode === 'all') {
    const matched = yield* table.selectAllSteps(message);
    const ids = matched.map((mock) => mock.id);
    const delays = delaysOf(matched);
    const others = yield* othersThan(ids);
    return ids.length === 0
      ? { outcome: unmatched, ...delays, others }
      : { outcome: 'matched', mock_ids: ids, ...delays, others };
  }
  const found = yield* table.selectSteps(message);
  if (found === undefined || typeof found === 'symbol')
    return { outcome: unmatched, ...delaysOf([]), others: yield* othersThan([]) };
  if ('challenged' in found)
    return { outcome: 'challenge', mock_id: found.challenged.id, others: yield* othersThan([]) };
  return {
    outcome: 'matched',
    mock_id: found.id,
    ...delaysOf([found]),
    others: yield* othersThan([found.id]),
  };
}

/** Whether a fault that chooses would hit a message now. */
function hitBy(fault: CompiledFault | undefined, message: Message): ExplainedFault | undefined {
  if (fault?.phase !== 'message' || (fault.match === undefined && fault.counts === undefined))
    return undefined;
  const result = fault.match?.(message) ?? true;
  if (result === true) {
    const reason = fault.counts?.refusal;
    return reason === undefined ? { hits: true } : { hits: false, reason };
  }
  if (typeof result === 'string') return { hits: false, reason: result };
  if (typeof result === 'function') return { hits: false, reason: result() };
  if (result === LATER) return { hits: false, reason: 'a field that it asks for never came' };
  return { hits: false, reason: 'authentication is missing or wrong' };
}

/** What an answer of these mocks waits for. */
function delaysFor(
  mocks: readonly EffectiveMock[],
  fault: CompiledFault | undefined,
): Pick<Explanation, 'delays'> {
  const delays: ExplainedDelay[] = [];
  const add = (source: ExplainedDelay['source'], id: string | undefined, delay: Delay | undefined): void => {
    if (delay === undefined || delay === 0) return;
    const { min, median, max } = boundsOf(delay);
    delays.push({
      source,
      ...(id === undefined ? {} : { mock_id: id }),
      min_ms: min,
      median_ms: median,
      ...(max === undefined ? {} : { max_ms: max }),
    });
  };
  for (const { id, delay } of mocks) add('mock', id, delay);
  // Where several mocks answer together, the fault of the first counts.
  const [first] = mocks;
  add('fault', first?.id, first?.compiled.fault?.delay);
  if (fault?.phase === 'message') add('fault', undefined, fault.delay);
  return delays.length === 0 ? {} : { delays };
}

/** The message that an entry stands for. */
export function messageOf(protocol: Protocol, entry: Json): Message {
  if (protocol.mocks.explain !== undefined) return protocol.mocks.explain(entry);
  const { method, path, headers, query, body } = entry;
  return {
    method: typeof method === 'string' ? method : '',
    path: typeof path === 'string' ? path : '',
    remote: '',
    ...(isObject(headers) ? { headers: headers as Record<string, string> } : {}),
    ...(isObject(query) ? { query: query as Record<string, string> } : {}),
    ...(typeof body === 'string'
      ? { body: entry['body_encoding'] === 'base64' ? Buffer.from(body, 'base64') : body }
      : {}),
  };
}
