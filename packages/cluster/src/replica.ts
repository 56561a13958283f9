import { randomUUID } from 'node:crypto';
import {
  BacklotError,
  afterRealTime,
  isBacklotError,
  messageOf,
  realElapsed,
  type RouteAnswer,
} from '@backlot/core/plugin';
import type { Host, MatchChanges, SharedPorts } from '@backlot/core';
import type {
  Command,
  OtherReplica,
  Readiness,
  Replication,
  Submission,
  Submitted,
} from '@backlot/management';
import { AwaitedOutcomes, type Outcome } from './awaited-outcomes.js';
import { Counts } from './counts.js';
import type { CommandEntry } from './entry.js';
import { Home } from './home/home.js';
import { LEAVE, legaciesOf, takeLegacy, type Legacy } from './legacy.js';
import { LogFollower } from './log-follower.js';
import { NotSentError, type CommandLog, type LogEntry } from './log.js';
import { MATCH, ReplicatedMatches } from './match-changes.js';
import { Members } from './members.js';
import { Peers } from './peers.js';
import { ReplicaKey } from './replica-key.js';
import { Telling, type TellingParts } from './telling.js';
import { WorldBook, worldOf } from './world-book.js';

/** How many entries that are needed the log may have. */
const MOST_ENTRIES = 200_000;
/** Changes after which what clients had stored before is not to come back. */
const RENEWING: ReadonlySet<string> = new Set(['reset', 'restoreSnapshot', 'createSpace', 'deleteSpace']);

/** What a replica carries out commands on. */
export interface ReplicaHost {
  readonly host: Host;
  readonly run: (command: Command) => Promise<RouteAnswer>;
  /** Where it takes connections that other replicas hand over; on this machine alone, at a free port, when absent. */
  readonly handOver?: { readonly host: string; readonly port: number };
}

/** What a replica is made of. */
export interface ReplicaParts {
  readonly name: string;
  readonly cluster: string;
  readonly log: CommandLog;
  /** Of the first entry; another log that has taken the place of this one has another. */
  readonly founding: string;
  /** The replica that has what clients store; `leased`: one at a time, by a lease in the engine. Each has its own when absent. */
  readonly home?: { readonly name: string } | 'leased';
  /** Whether the next home begins with the last copy of what clients have stored. */
  readonly copies?: boolean;
  /** How long a change waits for those who should have made it, in milliseconds. */
  readonly patience: number;
  /** Is told what people should know. */
  readonly warn: (text: string) => void;
}

/** One Backlot of several that make the same changes in the same order. */
export class Replica implements Replication {
  readonly peers = new Peers();
  readonly #parts: ReplicaParts;
  readonly #session = `${Date.now().toString(36).padStart(9, '0')}${randomUUID().replaceAll('-', '')}`;
  readonly #key: ReplicaKey;
  readonly #members: Members;
  readonly #book = new WorldBook();
  readonly #telling: Telling;
  /** What its host counts matches with. */
  readonly counts: Counts;
  /** What its host changes by matches with. */
  readonly matches: ReplicatedMatches;
  /** Where what clients store is, where that may change. */
  readonly #home: Home | undefined;
  readonly #awaited = new AwaitedOutcomes();
  readonly #follower: LogFollower;
  readonly #reaching = new Set<() => void>();
  #target: ReplicaHost | undefined;
  #revision = 1;
  /** The one that is being made, or was made last. */
  #making = 1;
  #isCaughtUp = false;
  /** Why it cannot be one of the replicas any more. */
  #failure: string | undefined;
  #isStopped = false;
  url: string | undefined;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#key = new ReplicaKey(parts.founding);
    this.counts = new Counts({ ...parts, revision: () => this.#making, obstacle: () => this.#end() });
    this.matches = new ReplicatedMatches({
      revision: () => this.#revision,
      submit: (command, how) => this.submit(command, how),
      confirmed: async (revision, time) => {
        await this.peers.waitForAll(revision, time);
      },
      patience: parts.patience,
    });
    const { name, log, warn } = parts;
    this.#telling = new Telling({
      ...{ name, log, warn, session: this.#session, peers: this.peers },
      own: () => this.#own(),
      heardOwn: (count) => this.#members.hearOwn(count),
      heard: () => this.#home?.look(),
      replaced: () => this.#fail('another process has its name'),
    });
    const tell = (): number => this.#telling.tell();
    this.#members = new Members(this.peers, this.#key, { log, warn, tell });
    this.#home =
      parts.home === 'leased'
        ? new Home({
            ...{ name, session: this.#session, log, warn },
            ...{ key: this.#key, peers: this.peers, copies: parts.copies === true },
            revision: () => this.#revision,
            isReady: () => this.isReady,
            tell,
          })
        : undefined;
    this.#follower = new LogFollower(parts, {
      revision: () => this.#revision,
      make: (entry) => this.#make(entry),
      advance: (revision) => this.#advance(revision),
      caughtUp: () => this.#caughtUp(),
      failed: (reason) => this.#fail(reason),
    });
  }

  get name(): string {
    return this.#parts.name;
  }

  get home(): string | null | undefined {
    const { home } = this.#parts;
    return typeof home === 'object' ? home.name : this.#home?.name;
  }

  /** The last copy of what clients have stored that is kept here, while another replica is the home. */
  get copy(): Home['copy'] {
    return this.#home?.copy;
  }

  /** What its host listens by; absent where it listens as a server does that is alone. */
  get ports(): SharedPorts | undefined {
    return this.#home?.ports;
  }

  get session(): string {
    return this.#session;
  }

  get revision(): number {
    return this.#revision;
  }

  get isReady(): boolean {
    return this.#isCaughtUp && this.#failure === undefined && !this.#isStopped;
  }

  /** Why changes cannot be made now; undefined when they can. */
  get obstacle(): string | undefined {
    const { log, name } = this.#parts;
    const end = this.#end();
    if (end !== undefined) return end;
    if (!log.isReached) return `${log.engine}, which keeps the order of changes, is not reached`;
    if (!this.#isCaughtUp)
      return `the replica "${name}" is still making the changes that were made before it came`;
    if (this.#book.size >= MOST_ENTRIES)
      return `the log has ${MOST_ENTRIES} changes, which is as many as there may be; a reset, or the end of a space, removes those before it`;
    return undefined;
  }

  /** Why it is no replica any more; undefined while it is one. */
  #end(): string | undefined {
    const { name } = this.#parts;
    if (this.#failure !== undefined) return `the replica "${name}" has failed: ${this.#failure}`;
    return this.#isStopped ? `the replica "${name}" stops` : undefined;
  }

  /** Begins to make the changes of the log on a host that has started; resolves when it has caught up, or has failed. */
  async follow(target: ReplicaHost): Promise<void> {
    this.#target = target;
    await this.#home?.start(target.host, target.handOver ?? { host: '127.0.0.1', port: 0 });
    target.host.spaces.keepIdle();
    await this.#parts.log.listen({
      grown: () => this.#follower.grown(),
      told: (text) => this.#telling.hear(text),
      reached: (isReached) => this.#reached(isReached),
    });
    this.#telling.tell();
    this.#members.begin();
    this.#telling.begin(() => this.#onBeat());
    await this.#follower.start();
  }

  async submit(command: Command, { consistency }: Submission): Promise<Submitted> {
    const { obstacle } = this;
    const { log, name } = this.#parts;
    if (obstacle !== undefined) throw new BacklotError('unavailable', `nothing was changed: ${obstacle}`);
    const id = randomUUID();
    const entry: CommandEntry = { id, from: name, at: Date.now(), command };
    const text = JSON.stringify(entry);
    const bytes = Buffer.byteLength(text);
    if (bytes > log.mostBytes)
      throw new BacklotError(
        'too_large',
        `the change has ${bytes} bytes as an entry of the log, and ${log.engine} takes ${log.mostBytes}; send it in parts`,
      );
    const until = realElapsed() + this.#parts.patience;
    const own = this.#awaited.add(id, this.#parts.patience);
    try {
      this.#follower.expect(await log.append(text, id));
    } catch (thrown) {
      if (thrown instanceof NotSentError) {
        this.#awaited.forget(id);
        throw new BacklotError('unavailable', `nothing was changed: ${thrown.message}`);
      }
      // It may have arrived all the same: then it comes back.
    }
    const done = await own;
    if (done === undefined)
      throw new BacklotError(
        'unconfirmed',
        `it is not known whether the change is made: ${log.engine} did not answer within ${this.#parts.patience} ms; when it has arrived it will be made by all`,
        { fields: { revision: this.#revision } },
      );
    const { revision, outcome } = done;
    if ('error' in outcome) throw outcome.error;
    if (consistency === 'all') await this.#confirm(revision, until - realElapsed());
    return { revision, answer: outcome.answer };
  }

  async #confirm(revision: number, time: number): Promise<void> {
    const missing = await this.peers.waitForAll(revision, Math.max(0, time));
    if (missing.length === 0) return;
    const names = missing.map(({ from, revision: at }) => `${from} (at ${at})`).join(', ');
    const made = [
      this.name,
      ...this.peers.live().flatMap((peer) => (peer.revision < revision ? [] : [peer.from])),
    ];
    throw new BacklotError(
      'unconfirmed',
      `the change is revision ${revision} and will be made by all, but ${names} did not say so within ${this.#parts.patience} ms`,
      { fields: { revision, made, missing: missing.map(({ from }) => from) } },
    );
  }

  async reach(revision: number, signal: AbortSignal): Promise<void> {
    if (this.#revision >= revision) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#reaching.delete(look);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const look = (): void => {
        if (this.#revision >= revision) end();
      };
      const timer = afterRealTime(this.#parts.patience, end);
      this.#reaching.add(look);
      signal.addEventListener('abort', end);
    });
    if (this.#revision >= revision) return;
    throw new BacklotError(
      'unconfirmed',
      `the replica "${this.name}" is at revision ${this.#revision} and did not come to ${revision} within ${this.#parts.patience} ms`,
      { fields: { revision: this.#revision } },
    );
  }

  others(): Promise<readonly OtherReplica[]> {
    return this.#members.others();
  }

  onMembers(callback: () => void): () => void {
    return this.peers.onChange(callback);
  }

  admits({ authorization, ...request }: Parameters<Replication['admits']>[0]): boolean {
    return this.#key.admits(request, authorization);
  }

  readiness(): Readiness {
    const { log, cluster, name } = this.#parts;
    const status =
      this.#failure !== undefined
        ? `failed: ${this.#failure}`
        : this.#isStopped
          ? 'stopping'
          : this.#isCaughtUp
            ? 'ready'
            : 'joining';
    return {
      isReady: this.isReady,
      view: {
        status,
        revision: this.#revision,
        replica: name,
        cluster,
        engine: log.isReached ? 'reached' : 'gone',
      },
    };
  }

  /**
   * Says that it leaves, takes no more changes, and closes the log.
   *
   * @param during - ends what is open, within 2 s, while nobody else has what clients store
   */
  async stop(during?: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    await this.#handOver();
    if (this.#isStopped) return;
    await this.#home?.leaveCopy();
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#telling.leave();
    this.#home?.close();
    await this.#follower.stop();
    try {
      await during?.();
    } finally {
      await this.#home?.drop();
      await this.#parts.log.close();
    }
  }

  /** Gives what its mocks have counted to another one, so that the sum of all stays what it is. */
  async #handOver(): Promise<void> {
    const [heir] = this.peers.live().filter(({ isReady }) => isReady);
    const host = this.#target?.host;
    if (heir === undefined || host === undefined || this.obstacle !== undefined) return;
    try {
      for (const command of legaciesOf(host, this.#session, heir.session)) {
        const { revision } = await this.submit(command, { consistency: 'local' });
        await this.#remove([revision], revision);
      }
    } catch (thrown) {
      this.#parts.warn(`what mocks have counted here is not handed over: ${messageOf(thrown)}`);
    }
  }

  #reached(isReached: boolean): void {
    const { warn, log } = this.#parts;
    warn(
      isReached
        ? `${log.engine} is reached again`
        : `${log.engine} is not reached: mocks answer as of revision ${this.#revision}, and changes are refused until it is back`,
    );
    if (!isReached) return;
    this.#home?.reached();
    this.#members.begin();
    this.#follower.doubt();
    this.#telling.tell();
  }

  #own(): ReturnType<TellingParts['own']> {
    const { url } = this;
    return {
      revision: this.#revision,
      isReady: this.isReady,
      ...(url === undefined ? {} : { url }),
      ...this.#home?.told,
      idle: this.#target?.host.spaces.idle() ?? [],
    };
  }

  #onBeat(): void {
    this.#home?.look();
    const live = this.peers.live();
    const isFirst = live.every(({ from, isReady }) => !isReady || from > this.name);
    if (!isFirst || this.obstacle !== undefined) return;
    for (const id of this.#target?.host.spaces.idle() ?? []) {
      if (!live.every(({ idle }) => idle.includes(id))) continue;
      this.submit({ route: 'deleteSpace', params: { id }, query: {} }, { consistency: 'local' }).catch(
        () => undefined,
      );
    }
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#parts.warn(`this replica has failed: ${reason}`);
    this.#home?.fail(reason);
    this.#follower.end();
  }

  async #make({ revision, text }: LogEntry): Promise<void> {
    const { id, from, at, command } = JSON.parse(text) as CommandEntry;
    // What is made again happens when it happened first, so that what has ended since ends.
    if (!this.#isCaughtUp) await this.#follow(Math.max(0, Date.now() - at));
    this.#making = revision;
    const outcome = await this.#run(command, revision);
    const isEnd = command.route === 'deleteSpace';
    let gone: readonly number[] = [];
    let told = 200;
    const forget = 'error' in outcome ? undefined : this.counts.note(command, revision, at);
    if ('error' in outcome) {
      const status = isBacklotError(outcome.error) ? outcome.error.status : 500;
      if (status === 500)
        this.#fail(`revision ${revision} (${command.route}) has failed: ${messageOf(outcome.error)}`);
      // One that came later does not know the space.
      if (isEnd && status === 404) this.#book.add(command, revision, at);
      else {
        this.#book.refused(command, revision);
        gone = [revision];
        told = status;
      }
    } else {
      gone = this.#book.add(command, revision, at);
      if (RENEWING.has(command.route)) this.#home?.renewed(worldOf(command), revision);
    }
    this.#advance(revision);
    if (this.#isCaughtUp) this.#telling.made(revision, told);
    this.#awaited.resolve(id, { revision, outcome });
    if (from !== this.name || !this.#isCaughtUp) return;
    if (gone.length > 0) void this.#remove(gone, revision);
    // When the engine does not answer they only take room.
    forget?.().catch(() => undefined);
  }

  async #run(command: Command, revision: number): Promise<Outcome> {
    const target = this.#target;
    if (target === undefined) throw new Error('the replica follows nothing yet');
    const changed = this.#book.changedAt(command);
    const { expect } = command;
    if (expect !== undefined && (changed > expect || expect >= revision)) {
      const error = new BacklotError(
        'precondition_failed',
        changed > expect
          ? `nothing was changed: If-Match says revision ${expect}, and there was a change since, which is revision ${changed}; read anew`
          : `nothing was changed: If-Match says revision ${expect}, which there is not yet; read anew`,
        { fields: { revision: changed } },
      );
      return { error };
    }
    try {
      if (command.route === MATCH) return { answer: this.#takeChanges(command, target.host) };
      if (command.route === LEAVE) {
        takeLegacy(hostOf(command, target.host), command.body as Legacy, this.#session);
        return { answer: { body: {} } };
      }
      return { answer: await target.run(command) };
    } catch (error) {
      return { error };
    }
  }

  #takeChanges({ body, space }: Command, main: Host): RouteAnswer {
    hostOf({ space }, main).takeChanges(body as MatchChanges, !this.#isCaughtUp);
    return { body: {} };
  }

  /** Removes entries that are not needed any more, once all have passed them. */
  async #remove(gone: readonly number[], revision: number): Promise<void> {
    await this.peers.waitForAll(revision, this.#parts.patience);
    try {
      for (const each of gone) await this.#parts.log.remove(each);
    } catch {
      // They only take room; a later reset, or nobody, removes them.
    }
  }

  #advance(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    for (const look of [...this.#reaching]) look();
  }

  async #follow(behind: number): Promise<void> {
    const host = this.#target?.host;
    if (host === undefined) return;
    await host.clock.followFrom(behind);
    for (const space of host.spaces.list()) await space.host.clock.followFrom(behind);
  }

  /** Clocks are at real time, now that what was made before has been made again. */
  async #caughtUp(): Promise<void> {
    await this.#follow(0);
    this.#isCaughtUp = true;
    this.#telling.tell();
    this.#home?.look();
  }
}

/** The host of the world that a command acts on. @throws BacklotError `not_found` for a space that is not there */
function hostOf({ space }: { readonly space?: string | undefined }, main: Host): Host {
  return space === undefined ? main : main.spaces.get(space).host;
}
