import type { Context, Service } from '@backlot/core/plugin';
import {
  activeTls,
  createService,
  rollLogin,
  secureAndServe,
  secureOrServe,
  type Connection,
} from '@backlot/kit';
import { Broker } from './broker.js';
import { NatsConnection } from './connection.js';
import { publish } from './sections/publish.js';
import { ConsumerSection, streamSection } from './sections/streams.js';
import { readSettings, type Settings } from './settings.js';
import type { NatsShape } from './shape.js';
import type { Relay } from './upstream/relay.js';
import { ERRORS } from './wire/errors.js';
import { encodeInfo, type ServerFacts } from './wire/info.js';

/**
 * Takes connections of NATS clients.
 *
 * @param relay - takes them in its place, where there is an upstream
 */
export function createNatsService(context: Context<NatsShape>, relay?: Relay): Service {
  const { config, log } = context;
  const tls = activeTls(config);
  // A client of NATS upgrades after the greeting unless it was told otherwise.
  const mode = tls && (tls.mode ?? 'starttls');
  const isChoice = mode === 'starttls' && config.allow_non_tls === true;
  const settings: Settings = readSettings(config, {
    spaces: context.spaces,
    rollLogin: () => {
      const rolled = rollLogin(context);
      return rolled instanceof Promise
        ? rolled.then((refusal) => refusal !== undefined)
        : rolled !== undefined;
    },
    onSlowConsumer: (remote) =>
      log.warn(`${remote} was cut as a slow consumer: more than ${settings.maxPending} bytes waited for it`),
  });
  const id = context.newId().replaceAll('-', '').toUpperCase();
  const broker = new Broker(context, settings.jetstream);
  let clients = 0;

  const serve = (connection: Connection): void => new NatsConnection(connection, broker, settings).start();
  const greet = (connection: Connection): void => {
    const { host, port } = service.place ?? config;
    const offered = mode === undefined ? 'none' : isChoice ? 'available' : 'required';
    if (relay !== undefined) {
      const begins = mode !== 'starttls' ? 'at once' : isChoice ? 'either' : 'later';
      relay.take(connection, { place: { host, port }, tls: offered }, begins);
      return;
    }
    clients += 1;
    const facts: ServerFacts = {
      id,
      host,
      port,
      maxPayload: settings.maxPayload,
      hasJetStream: settings.jetstream !== undefined,
      needsLogin: settings.users !== undefined,
      tls: offered,
    };
    connection.write(encodeInfo(facts, clients, connection));
    if (mode !== 'starttls') serve(connection);
    else if (isChoice) secureOrServe(connection, serve);
    else secureAndServe(connection, serve);
  };

  const service = createService(context, {
    data: { streams: streamSection(broker.streams), consumers: new ConsumerSection(broker.streams) },
    publish: (message) => publish(broker, message),
    stream: {
      tlsMode: 'starttls',
      // What waits is bounded by `max_pending`, with the protocol's own last words.
      limits: { maxBuffered: 2 * settings.maxPending },
      onConnection: greet,
      ...(relay === undefined
        ? { onEntered: (_connection: Connection, client: NatsConnection) => client.moveTo(broker, settings) }
        : { allowHalfOpen: true }),
      // What a server says that gives a connection up.
      onGoodbye: (connection) => connection.write(`-ERR '${ERRORS.stale}'\r\n`),
    },
    onStopped: () => broker.stop(),
    reset: () => {
      broker.reset();
      relay?.desk.reset();
    },
  });
  return service;
}
