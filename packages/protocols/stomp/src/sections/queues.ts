import { mapSection, type DataSection } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';

/** The queues of the broker, for people. */
export function queueSection(broker: Broker): DataSection {
  return mapSection(
    () => broker.queues,
    ({ waiting, unacknowledged, consumers }, destination) => {
      return { destination, messages: waiting, unacknowledged, consumers };
    },
  );
}
