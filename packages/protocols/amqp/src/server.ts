import type { Service } from '@backlot/core/plugin';
import { createService, type Connection } from '@backlot/kit';
import { Broker } from './broker/broker.js';
import { declareConfigured } from './broker/configured.js';
import { packBroker, unpackBroker } from './broker/packed-broker.js';
import { restoreSnapshot, takeSnapshot } from './broker/snapshot.js';
import { Blockade } from './connection/blockade.js';
import { AmqpConnection } from './connection/connection.js';
import { ExchangeSection } from './sections/exchanges.js';
import { publish } from './sections/publish.js';
import { queueSection } from './sections/queues.js';
import type { AmqpContext } from './shape.js';
import type { Relay } from './upstream/relay.js';

/** Bytes of answers that may wait for a client before nothing more is read of it. */
const HIGH_WATER = 1024 * 1024;

/**
 * A broker and the connections to it.
 *
 * @param relay - takes connections in its place, where there is an upstream
 */
export function createAmqpService(context: AmqpContext, relay?: Relay): Service {
  const connections = new WeakMap<Connection, AmqpConnection>();
  const broker = new Broker(context.clock, (error) => context.log.error('work of the broker failed', error));
  const blockade = new Blockade(context.faults, broker.jobs);
  declareConfigured(broker, context.config);
  context.addToSnapshots('broker', {
    passes: { pack: packBroker, unpack: unpackBroker },
    save: () => takeSnapshot(broker),
    restore: (snapshot) => restoreSnapshot(broker, snapshot),
  });
  return createService(context, {
    data: { queues: queueSection(broker), exchanges: new ExchangeSection(broker) },
    publish: (message) => publish(broker, message),
    ...(relay !== undefined && { reset: () => relay.desk.reset() }),
    stream: {
      limits: { highWater: HIGH_WATER },
      onConnection: (connection) => {
        if (relay !== undefined) relay.take(connection);
        else connections.set(connection, new AmqpConnection(connection, context, broker, blockade));
      },
      ...(relay === undefined
        ? {
            onEntered: (connection: Connection, client: AmqpConnection) => {
              client.moveTo(context, broker, blockade);
              connections.set(connection, client);
            },
          }
        : { allowHalfOpen: true }),
      onStopping: (connection) => connections.get(connection)?.stop(),
    },
  });
}
