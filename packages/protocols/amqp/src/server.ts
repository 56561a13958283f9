import type { Service } from '@backlot/core/plugin';
import { createService, type Connection } from '@backlot/kit';
import { Broker } from './broker/broker.js';
import { declareConfigured } from './broker/configured.js';
import { restoreSnapshot, takeSnapshot } from './broker/snapshot.js';
import { Session } from './session/session.js';
import type { AmqpContext } from './shape.js';

/** Bytes of answers that may wait for a client before nothing more is read of it. */
const HIGH_WATER = 1024 * 1024;

/** A broker and the connections to it. */
export function createAmqpService(context: AmqpContext): Service {
  const sessions = new WeakMap<Connection, Session>();
  const broker = new Broker(context.clock, (error) => context.log.error('work of the broker failed', error));
  declareConfigured(broker, context.config);
  context.addToSnapshots('broker', {
    save: () => takeSnapshot(broker),
    restore: (snapshot) => restoreSnapshot(broker, snapshot),
  });
  return createService(context, {
    stream: {
      limits: { highWater: HIGH_WATER },
      onConnection: (connection) => {
        sessions.set(connection, new Session(connection, context, broker));
      },
      onStopping: (connection) => sessions.get(connection)?.stop(),
    },
  });
}
