import { dateText } from './dates.js';
import type { Surroundings } from './surroundings.js';

/** The subjects of advisories by their types. */
const EVENTS = { terminated: 'MSG_TERMINATED', max_deliver: 'MAX_DELIVERIES' } as const;

/** Tells whoever listens to `$JS.EVENT.ADVISORY.>` what has become of a message. */
export function publishAdvisory(
  around: Surroundings,
  [stream, consumer]: readonly [stream: string, consumer: string],
  type: keyof typeof EVENTS,
  facts: Readonly<Record<string, number>>,
): void {
  const advisory = {
    type: `io.nats.jetstream.advisory.v1.${type}`,
    id: around.newId(),
    timestamp: dateText(around.clock.now()),
    stream,
    consumer,
    ...facts,
  };
  around.publish(
    `$JS.EVENT.ADVISORY.CONSUMER.${EVENTS[type]}.${stream}.${consumer}`,
    JSON.stringify(advisory),
  );
}
