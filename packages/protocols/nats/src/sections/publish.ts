import { invalid, readGivenBytes, type Json } from '@backlot/core/plugin';
import type { Broker } from '../broker.js';
import { encodeHeaders } from '../wire/headers.js';
import { toWire, whyNotPublishable } from '../wire/subject.js';

/** Publishes a message to a subject. */
export function publish(broker: Broker, given: Json): Json {
  const { subject, headers = {} } = given as { subject: string; headers?: Readonly<Record<string, string>> };
  const problem =
    whyNotPublishable(subject) ?? (subject.startsWith('$JS.') ? 'it belongs to JetStream' : undefined);
  if (problem !== undefined) throw invalid(`subject: ${problem}`, [{ path: '/subject', message: problem }]);
  const lines = Object.entries(headers);
  return broker.publishOwn({
    subject: toWire(subject),
    reply: '',
    headerBytes: lines.length === 0 ? undefined : encodeHeaders(lines),
    payload: readGivenBytes(given, 'payload'),
  });
}
