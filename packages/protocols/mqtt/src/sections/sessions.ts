import { BacklotError, mapSection, type DataSection } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';

const MAX_SHOWN = 1000;

/** The sessions that are kept, for people. */
export function sessionSection({ sessions }: Broker): DataSection {
  return mapSection(
    () => sessions.byId,
    ({ id, owner, subscriptions, shared, queue }) => ({
      client_id: id,
      connected: owner !== undefined,
      subscriptions: [...subscriptions.keys(), ...shared.keys()].slice(0, MAX_SHOWN),
      messages: queue.size,
    }),
    {
      remove(id) {
        if (sessions.byId.get(id)?.owner === undefined) sessions.forget(id);
        else throw new BacklotError('conflict', `client "${id}" is connected; close its connection first`);
      },
    },
  );
}
