import {
  jetstream,
  jetstreamManager,
  type JetStreamClient,
  type JetStreamManager,
  type MsgRequest,
} from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import {
  NotSentError,
  sinceOf,
  type CommandLog,
  type CountPlace,
  type LogEntry,
  type LogEvents,
} from './log.js';
import { NatsLease } from './nats-lease.js';
import { codeOf, makeStream, NO_STREAM, NONE_FOUND, WRONG_LAST } from './nats-streams.js';

/** What the server adds to an entry counts against its limit as well. */
const HEADERS = 1_024;
/** So often is a stream asked that nobody answers for; the client waits a little longer each time, 1.5 s in all. */
const RETRIES = 6;
/** How often others may be first before a match is not counted; one of them succeeds each time. */
const MOST_TURNS = 100;
const NO_COUNT = { seq: 0, value: 0 } as const;

/**
 * Opens a log in a stream of NATS JetStream; it is made when it is not there.
 *
 * @param url - `nats://host:port`, with user and password where the server wants them
 * @param name - the name of the cluster
 * @param patience - milliseconds that the server may take for an answer
 * @throws Error when the server does not answer or has no JetStream
 */
export async function openNatsLog(url: string, name: string, patience: number): Promise<CommandLog> {
  const connection = await connect({
    servers: url,
    name: `backlot ${name}`,
    ...userOf(url),
    timeout: patience,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 1_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  });
  try {
    const manager = await jetstreamManager(connection, { timeout: patience });
    await makeStream(manager, { name: streamOf(name), subjects: [`backlot.${name}.log`], discard: 'new' });
    return new NatsLog(connection, manager, { name, patience, place: new URL(url).host });
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

class NatsLog implements CommandLog {
  readonly engine: string;
  readonly mostBytes: number;
  isReached = true;
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #stream: string;
  readonly #subject: string;
  readonly #telling: string;
  /** The stream of counts, which is made when something is counted, and its subjects. */
  readonly #counts: string;
  readonly #counted: string;
  readonly #lease: NatsLease;
  readonly #patience: number;

  constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    { name, place, patience }: { readonly name: string; readonly place: string; readonly patience: number },
  ) {
    this.#patience = patience;
    this.#connection = connection;
    this.#manager = manager;
    this.#client = jetstream(connection, { timeout: patience });
    this.#stream = streamOf(name);
    this.#subject = `backlot.${name}.log`;
    this.#telling = `backlot.${name}.told`;
    this.#counts = `${this.#stream}_counts`;
    this.#counted = `backlot.${name}.counts`;
    this.#lease = new NatsLease(this.#client, manager, name, this.#stream);
    this.engine = `NATS JetStream at ${place}`;
    this.mostBytes = (connection.info?.max_payload ?? 1_048_576) - HEADERS;
  }

  async listen(events: LogEvents): Promise<void> {
    this.#connection.subscribe(this.#subject, { callback: () => events.grown() });
    this.#connection.subscribe(this.#telling, {
      callback: (error, message) => {
        if (error === null) events.told(message.string());
      },
    });
    void this.#watch(events);
    await this.#connection.flush();
  }

  async #watch(events: LogEvents): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') this.isReached = false;
      else if (type === 'reconnect') this.isReached = true;
      else continue;
      events.reached(this.isReached);
    }
  }

  async found(text: string): Promise<void> {
    try {
      // A stream that another replica has just made is known before it listens.
      const how = { expect: { lastSequence: 0 }, timeout: this.#patience, retries: RETRIES };
      await this.#client.publish(this.#subject, text, how);
    } catch (thrown) {
      if (codeOf(thrown) !== WRONG_LAST) throw thrown;
    }
  }

  async append(text: string, id: string): Promise<number> {
    if (!this.isReached) throw new NotSentError(this.engine);
    const { seq } = await this.#client.publish(this.#subject, text, { msgID: id, timeout: this.#patience });
    return seq;
  }

  async read(after: number, most: number): Promise<readonly LogEntry[]> {
    const entries: LogEntry[] = [];
    for (let from = after + 1; entries.length < most;) {
      const entry = await this.#next(from);
      if (entry === undefined) break;
      entries.push(entry);
      from = entry.revision + 1;
    }
    return entries;
  }

  /** The first entry at a revision or after it. */
  async #next(seq: number): Promise<LogEntry | undefined> {
    try {
      // The server takes both since 2.9; the types of the client know them for direct reads only, which may be of an older state.
      const query = { seq, next_by_subj: this.#subject } as MsgRequest;
      const found = await this.#manager.streams.getMessage(this.#stream, query);
      return found === null ? undefined : { revision: found.seq, text: found.string() };
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code === NONE_FOUND || code === NO_STREAM) return undefined;
      throw thrown;
    }
  }

  async last(): Promise<number> {
    try {
      return (await this.#manager.streams.info(this.#stream)).state.last_seq;
    } catch (thrown) {
      // A stream that is gone holds nothing.
      if (codeOf(thrown) === NO_STREAM) return 0;
      throw thrown;
    }
  }

  async remove(revision: number): Promise<void> {
    try {
      await this.#manager.streams.deleteMessage(this.#stream, revision, false);
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
    }
  }

  async count(
    { world, since, name }: CountPlace,
    by: number,
    limit: number,
  ): ReturnType<CommandLog['count']> {
    const subject = `${this.#counted}.${world}.${since}.${name}`;
    // Each turn that is lost is an answer of the engine, so that it is silence alone that takes too long.
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const last = await this.#lastCount(subject);
      const after = Math.max(last.value, Math.min(last.value + by, limit));
      if (after === last.value) return { before: last.value, after };
      try {
        const how = {
          ...{ expect: { lastSubjectSequence: last.seq }, timeout: this.#patience },
          // A stream that another replica has just made is known before it listens.
          retries: RETRIES,
        };
        await this.#client.publish(subject, String(after), how);
        return { before: last.value, after };
      } catch (thrown) {
        // Another replica was first: what it has counted is read.
        if (codeOf(thrown) !== WRONG_LAST) throw thrown;
      }
    }
    throw new Error(`others were first ${MOST_TURNS} times`);
  }

  async #lastCount(subject: string): Promise<{ readonly seq: number; readonly value: number }> {
    try {
      const found = await this.#manager.streams.getMessage(this.#counts, { last_by_subj: subject });
      return found === null ? NO_COUNT : { seq: found.seq, value: Number(found.string()) };
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code === NONE_FOUND) return NO_COUNT;
      if (code !== NO_STREAM) throw thrown;
      await makeStream(this.#manager, {
        name: this.#counts,
        subjects: [`${this.#counted}.>`],
        max_msgs_per_subject: 1,
        discard: 'old',
      });
      return NO_COUNT;
    }
  }

  async forgetCounts(world: string, before: number): Promise<void> {
    try {
      const how = { subjects_filter: `${this.#counted}.${world}.>` };
      const { subjects = {} } = (await this.#manager.streams.info(this.#counts, how)).state;
      for (const subject of Object.keys(subjects))
        if (sinceOf(subject) < before) await this.#manager.streams.purge(this.#counts, { filter: subject });
    } catch (thrown) {
      if (codeOf(thrown) !== NO_STREAM) throw thrown;
    }
  }

  takeLease(holder: string): ReturnType<NonNullable<CommandLog['takeLease']>> {
    return this.#lease.take(holder);
  }

  dropLease(holder: string): Promise<void> {
    return this.#lease.drop(holder);
  }

  tell(text: string): void {
    if (this.isReached) this.#connection.publish(this.#telling, text);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

function streamOf(name: string): string {
  return `BACKLOT_${name}`;
}

function userOf(url: string): { readonly user?: string; readonly pass?: string } {
  const { username, password } = new URL(url);
  if (username === '') return {};
  return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}
