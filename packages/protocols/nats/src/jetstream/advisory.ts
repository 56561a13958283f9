import { dateText } from './dates.js';
import type { Surroundings } from './surroundings.js';

/** The subjects of advisories by their types. */
const EVENTS = { nak: 'MSG_NAKED', terminated: 'MSG_TERMINATED', max_deliver: 'MAX_DELIVERIES' } as const;

/** What an event says beside its id and its time. */
type EventFacts = { readonly type: string } & Readonly<Record<string, string | number>>;

/** Tells whoever listens to `$JS.EVENT.ADVISORY.>` what has become of a message. */
export function publishAdvisory(
  around: Surroundings,
  [stream, consumer]: readonly [stream: string, consumer: string],
  type: keyof typeof EVENTS,
  facts: Readonly<Record<string, number>>,
): void {
  const subject = `$JS.EVENT.ADVISORY.CONSUMER.${EVENTS[type]}.${stream}.${consumer}`;
  publishEvent(around, subject, {
    type: `io.nats.jetstream.advisory.v1.${type}`,
    stream,
    consumer,
    ...facts,
  });
}

/** Tells whoever listens to `$JS.EVENT.METRIC.>` how long an acknowledgement took. */
export function publishSample(
  around: Surroundings,
  [stream, consumer]: readonly [stream: string, consumer: string],
  facts: Readonly<Record<string, number>>,
): void {
  const subject = `$JS.EVENT.METRIC.CONSUMER.ACK.${stream}.${consumer}`;
  publishEvent(around, subject, {
    type: 'io.nats.jetstream.metric.v1.consumer_ack',
    stream,
    consumer,
    ...facts,
  });
}

function publishEvent(around: Surroundings, subject: string, { type, ...facts }: EventFacts): void {
  const event = { type, id: around.newId(), timestamp: dateText(around.clock.now()), ...facts };
  around.publish(subject, JSON.stringify(event));
}
