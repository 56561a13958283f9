import { createHost, type Host, type Json, type Kind, type Protocol } from '@backlot/core';
import { check, eventually, within } from './check.js';
import type { ListenAddress, Probe, ProbeClient, ProbeMessage, StreamReader } from './probe.js';

const DEFAULT_TIMEOUT = 5_000;
const LOOPBACK = '127.0.0.1';

/** A protocol with its probe. */
export interface Subject {
  readonly protocol: Protocol;
  readonly probe: Probe;
}

/** What a stage is set up with. */
export interface StageOptions {
  /** Mocks in the settings, with their ids. */
  readonly mocks?: readonly Json[];
  /** Further settings. */
  readonly settings?: Json;
  /** The port to listen on; a free one when absent. */
  readonly port?: number;
}

/** A running host with the one protocol, and its clients. */
export class Stage {
  readonly host: Host;
  readonly kind: Kind;
  readonly probe: Probe;
  readonly timeout: number;
  /** The errors that were logged. */
  readonly errors: readonly string[];
  readonly #clients: { close(): unknown }[] = [];

  constructor(host: Host, { protocol, probe }: Subject, errors: readonly string[]) {
    this.host = host;
    this.errors = errors;
    this.kind = host.kind(protocol.kind);
    this.probe = probe;
    this.timeout = timeoutOf(probe);
  }

  /** Where the kind listens. */
  get address(): ListenAddress {
    const { address } = this.kind;
    check(
      address !== undefined && address.port > 0,
      'after its start the kind must say where it listens, with the port it took',
    );
    return { host: LOOPBACK, port: address.port };
  }

  /** Creates a mock of the probe under its own name, with further core fields. */
  add(which: 'simple' | 'changed' | 'other' | 'template', more: Json = {}): void {
    this.kind.mocks.create({ ...this.probe.mocks[which], id: which, ...more });
  }

  /** Connects a client, which is closed with the stage. @param space - the id of the space that it names */
  async connect(space?: string): Promise<ProbeClient> {
    const { address, probe } = this;
    const coming = space === undefined ? probe.connect(address) : probe.connect(address, space);
    const client = await within(this.timeout, 'connecting', coming);
    this.#clients.push(client);
    return {
      send: (message) => within(this.timeout, `an answer to the message "${message}"`, client.send(message)),
      close: () => client.close(),
    };
  }

  /** Sends one message over a connection of its own. */
  async ask(message: ProbeMessage): Promise<string> {
    const client = await this.connect();
    const answer = await client.send(message);
    await client.close();
    return answer;
  }

  /**
   * Sends `simple` over a connection of its own, for an answer that is delayed. There is no time limit for the answer,
   * and it is ignored when it never comes because client or server has left.
   */
  async askLater(): Promise<{
    readonly client: ProbeClient;
    readonly answer: Promise<string>;
    readonly isAnswered: () => boolean;
  }> {
    const client = await within(this.timeout, 'connecting', this.probe.connect(this.address));
    this.#clients.push(client);
    let isAnswered = false;
    const answer = client.send('simple').finally(() => (isAnswered = true));
    answer.catch(() => undefined);
    return { client, answer, isAnswered: () => isAnswered };
  }

  /** Opens the streaming answer of the probe. */
  async openStream(): Promise<StreamReader> {
    const { stream } = this.probe;
    check(stream !== undefined, 'the protocol declares streams, so its probe must have `stream`');
    const reader = await within(this.timeout, 'opening a stream', stream.open(this.address));
    this.#clients.push(reader);
    return {
      next: () => within(this.timeout, 'the next part of a stream', reader.next()),
      close: () => reader.close(),
    };
  }

  /** Resolves once the mock was called so often. */
  async called(mockId: string, count: number): Promise<void> {
    const { calls } = this.kind;
    await eventually(this.timeout, `${count} calls of "${mockId}"`, () => calls.of(mockId).count >= count);
  }

  /** Closes all clients. */
  async leave(): Promise<void> {
    await Promise.allSettled(this.#clients.map(async (client) => client.close()));
  }
}

/**
 * Runs a function with a running host, and stops the host and closes its clients afterwards, whatever the function
 * does.
 */
export async function onStage(
  subject: Subject,
  run: (stage: Stage) => Promise<void>,
  options: StageOptions = {},
): Promise<void> {
  const errors: string[] = [];
  const host = await makeHost(subject, options, errors);
  try {
    await host.start();
    const stage = new Stage(host, subject, errors);
    try {
      await run(stage);
    } finally {
      await stage.leave();
    }
  } finally {
    await within(timeoutOf(subject.probe), 'stopping', host.stop(0));
  }
}

/**
 * A host that has not been started.
 *
 * @param errors - takes the errors that are logged
 */
export function makeHost(
  { protocol, probe }: Subject,
  { mocks = [], settings = {}, port = 0 }: StageOptions = {},
  errors?: string[],
): Promise<Host> {
  const block = {
    ...probe.settings,
    ...settings,
    host: LOOPBACK,
    port,
    ...(mocks.length === 0 ? {} : { [protocol.mocks.configKey]: mocks }),
  };
  return createHost({
    protocols: [protocol],
    settings: { [protocol.kind]: block },
    seed: 1,
    log: ({ level, text }) => {
      if (level === 'error') errors?.push(text);
    },
  });
}

/** Milliseconds that a client may wait for one thing. */
export function timeoutOf(probe: Probe): number {
  return probe.timeout ?? DEFAULT_TIMEOUT;
}

/** Whether the kind listens for connections. */
export function hasConnections({ protocol }: Subject): boolean {
  return protocol.meta.transport !== 'datagram';
}

/** Whether the kind takes datagrams. */
export function hasDatagrams({ protocol }: Subject): boolean {
  return protocol.meta.transport !== 'stream';
}
