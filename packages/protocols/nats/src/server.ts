import {
  messageOf,
  type Context,
  type Listening,
  type Service,
  type ServiceStatus,
} from '@backlot/core/plugin';
import { admitBy, createStreamServer, sniff, type Connection, type StreamServer } from '@backlot/kit';
import { Broker } from './broker.js';
import { Client } from './client.js';
import { readSettings, type Settings } from './settings.js';
import type { NatsShape } from './shape.js';
import { encodeInfo, type ServerFacts } from './wire/info.js';

/** The first byte of a TLS record with a handshake (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;

/** Takes connections of NATS clients. */
export class NatsServer implements Service {
  readonly #context: Context<NatsShape>;
  readonly #streams: StreamServer;
  readonly #broker: Broker;
  readonly #settings: Settings;
  readonly #id: string;
  /** `undefined`: there is no TLS. */
  readonly #mode: 'implicit' | 'starttls' | undefined;
  #clients = 0;
  #error: string | undefined;

  constructor(context: Context<NatsShape>) {
    const { host, port, tls } = context.config;
    const { config, log } = context;
    this.#context = context;
    // A client of NATS upgrades after the greeting unless it was told otherwise.
    this.#mode = tls === undefined || tls.enabled === false ? undefined : (tls.mode ?? 'starttls');
    this.#settings = readSettings(config, (remote) =>
      log.warn(
        `${remote} was cut as a slow consumer: more than ${this.#settings.maxPending} bytes waited for it`,
      ),
    );
    this.#id = context.newId().replaceAll('-', '').toUpperCase();
    this.#broker = new Broker(context);
    this.#streams = createStreamServer({
      host,
      port,
      tls: this.#mode === undefined ? undefined : { ...tls, mode: this.#mode },
      // What waits is bounded by `max_pending`, with the protocol's own last words.
      limits: { maxBuffered: 2 * this.#settings.maxPending },
      admit: admitBy(context.faults, context.clock),
      onConnection: (connection) => this.#greet(connection),
      onError: (error, where) => {
        // What clients do wrong in a handshake is theirs.
        if (where !== 'tls') log.error(`a connection failed (${where})`, error);
      },
      onFailure: (error) => {
        this.#error = messageOf(error);
      },
    });
  }

  start(port: number): Promise<Listening> {
    return this.#streams.start(port);
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await this.#streams.stop(graceMilliseconds);
    this.#broker.stop();
  }

  reset(): void {
    this.#broker.reset();
  }

  status(): ServiceStatus {
    const status = { connections: this.#streams.connections, tls: this.#mode !== undefined };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  #greet(connection: Connection): void {
    const { host, port } = this.#streams.place ?? this.#context.config;
    this.#clients += 1;
    const isChoice = this.#mode === 'starttls' && this.#context.config.allow_non_tls === true;
    const facts: ServerFacts = {
      id: this.#id,
      host,
      port,
      maxPayload: this.#settings.maxPayload,
      needsLogin: this.#settings.users !== undefined,
      tls: this.#mode === undefined ? 'none' : isChoice ? 'available' : 'required',
    };
    connection.write(encodeInfo(facts, this.#clients, connection));
    if (this.#mode !== 'starttls') this.#serve(connection);
    else if (!isChoice) this.#secure(connection);
    else {
      sniff(connection, {
        bytes: 1,
        choose: (head) => (head[0] === TLS_HANDSHAKE ? this.#secure : this.#serve),
        onSilence: this.#serve,
      });
    }
  }

  readonly #secure = (connection: Connection): void => {
    connection.startTls().then(
      () => this.#serve(connection),
      () => undefined,
    );
  };

  readonly #serve = (connection: Connection): void => {
    new Client(connection, this.#broker, this.#settings).start();
  };
}
