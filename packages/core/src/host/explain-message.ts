import type { Json } from '../contract/given.js';
import type { Explanation } from '../contract/kind.js';
import type { Message } from '../contract/message.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid } from '../errors.js';
import type { MockStore } from '../mocks/mock-store.js';
import type { MockTable } from '../mocks/mock-table.js';
import { show } from '../validation/messages.js';
import { isObject } from '../validation/pointer.js';

/** How many mocks that do not match are told of. */
const MAX_OTHERS = 256;

/**
 * Says which mock would answer a message, and why others would not; nothing is counted.
 *
 * @param entry - the message as the journal shows it
 * @throws BacklotError `invalid`
 */
export function explainMessage(
  protocol: Protocol,
  table: MockTable,
  mocks: MockStore,
  entry: unknown,
): Explanation {
  if (!isObject(entry))
    throw invalid(`the message must be an object as the journal shows it, got ${show(entry)}`);
  const message = messageOf(protocol, entry);
  const othersThan = (matched: readonly string[]): NearMiss[] =>
    table.nearMisses(message, MAX_OTHERS).filter((miss) => !matched.includes(miss.mock_id));
  const { mode } = protocol.mocks;
  if (mode === 'items') return { outcome: 'items', mock_ids: mocks.list().map(({ id }) => id), others: [] };
  if (mode === 'all') {
    const ids = table.selectAll(message).map((mock) => mock.id);
    const others = othersThan(ids);
    return ids.length === 0
      ? { outcome: 'unmatched', others }
      : { outcome: 'matched', mock_ids: ids, others };
  }
  const found = table.select(message, true);
  if (found === undefined || typeof found === 'symbol')
    return { outcome: 'unmatched', others: othersThan([]) };
  if ('challenged' in found)
    return { outcome: 'challenge', mock_id: found.challenged.id, others: othersThan([]) };
  return { outcome: 'matched', mock_id: found.id, others: othersThan([found.id]) };
}

function messageOf(protocol: Protocol, entry: Json): Message {
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
