import type { Context, Service } from '@backlot/core/plugin';
import { createService, type Connection } from '@backlot/kit';
import { Broker } from './broker/broker.js';
import { packQueues, unpackQueues } from './broker/packed-queues.js';
import { MAX_MESSAGE_BYTES } from './schemas.js';
import { publish } from './sections/publish.js';
import { queueSection } from './sections/queues.js';
import { Answering } from './session/answering.js';
import { Intake } from './session/intake.js';
import { Session } from './session/session.js';
import type { StompShape } from './shape.js';
import { MAX_UNREAD } from './transport/transport.js';
import { WebSocketAcceptor } from './transport/web-socket-acceptor.js';
import type { Relay } from './upstream/relay.js';

/** The headers that a WebSocket message may have on top of a body. */
const HEAD_BYTES = 64 * 1024;

/**
 * Takes connections and gives each a session with the broker.
 *
 * @param relay - takes clients in its place, where there is an upstream
 */
export function createStompService(context: Context<StompShape>, relay?: Relay): Service {
  const { max_message_bytes: maxMessage = MAX_MESSAGE_BYTES } = context.config;
  const sessions = new WeakMap<Connection, Session>();
  const broker = new Broker(
    (queue) =>
      context.log.warn(`queues hold too much, so the oldest messages are dropped, beginning with ${queue}`),
    (error) => context.log.error('work of the broker failed', error),
    context.config.wildcards,
  );
  context.addToSnapshots('queues', {
    passes: { pack: packQueues, unpack: unpackQueues },
    save: () => broker.save(),
    restore: (saved) => broker.restore(saved),
  });
  const intake = new Intake(context, broker);
  const answering = new Answering(context, intake);
  const services = { context, broker, intake, answering };
  const acceptor = new WebSocketAcceptor(maxMessage + HEAD_BYTES, (transport) => {
    if (relay === undefined) sessions.set(transport.connection, new Session(transport, services));
    else relay.take(transport);
  });
  return createService(context, {
    data: { queues: queueSection(broker) },
    publish: (message) => publish(intake, message),
    ...(relay !== undefined && { reset: () => relay.desk.reset() }),
    stream: {
      limits: { maxBuffered: MAX_UNREAD },
      onConnection: (connection) => acceptor.take(connection),
      ...(relay === undefined
        ? {
            onEntered: (connection: Connection, session: Session) => {
              session.moveTo(services);
              sessions.set(connection, session);
            },
          }
        : { allowHalfOpen: true }),
      onStopping: (connection) => sessions.get(connection)?.stop(),
      onGoodbye: (connection) => sessions.get(connection)?.sayGoodbye(),
    },
    onStarted: () => acceptor.start(),
    onStopping: () => {
      answering.stop();
      acceptor.stop();
    },
  });
}
