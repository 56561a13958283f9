import { CollectionStore, type SavedCollections } from '../collections/collection-store.js';
import { OnceStore, type SavedAnswers } from '../collections/once-store.js';
import type { Collection } from '../contract/collections.js';
import type { Json } from '../contract/given.js';
import type { TypesOf } from '../contract/types-of.js';
import type { Host, HostOptions } from '../contract/host.js';
import type { Kind } from '../contract/kind.js';
import type { Protocol } from '../contract/protocol.js';
import type { WebhookSender } from '../contract/webhook.js';
import { BacklotError, messageOf, problemsIn, type Problem } from '../errors.js';
import { FaultStore } from '../faults/fault-store.js';
import { Journal } from '../journal/journal.js';
import { freshSeed } from '../random/random.js';
import { ScenarioStore, type SavedScenarios } from '../scenarios/scenario-store.js';
import { Scope } from '../pipeline/scope.js';
import { Sequences, type SavedSequences } from '../stores/sequences.js';
import { StateStore, type SavedState } from '../stores/state-store.js';
import { Emitter } from '../emits/emitter.js';
import { StreamStore } from '../stores/stream-store.js';
import { realElapsed } from '../time/clock-real.js';
import { stalls } from '../time/clock-stalls.js';
import { refuseToxics } from '../toxics/refuse-toxics.js';
import { ToxicStore } from '../toxics/toxic-store.js';
import { VirtualClock } from '../time/clock-virtual.js';
import { KeyRing } from '../keys/key-ring.js';
import { KeysSchema } from '../keys/key-schema.js';
import { createValidator } from '../validation/validator.js';
import { checkInstalled } from './check-installed.js';
import { logEmitWarnings } from './emit-warnings.js';
import { functionLimitOf } from './function-limit.js';
import { KindHost, type SavedKind, type SharedServices } from './kind-host.js';
import { followCaptures } from './follow-captures.js';
import { makeContext } from './make-context.js';
import { admitGuests, shareListeners } from './sharing.js';
import { Preparations, type Prepared } from './preparations.js';
import { StallLog } from './stall-log.js';
import { SnapshotStore } from './snapshot-store.js';
import { namePlugin, startKinds } from './start-kinds.js';
import { stopServices } from './stop-services.js';

const DEFAULT_GRACE = 2_000;

/** Everything that reset and snapshots put back. */
interface Saved {
  readonly kinds: readonly SavedKind[];
  readonly scenarios: SavedScenarios;
  readonly faults: ReturnType<FaultStore['save']>;
  readonly toxics: ReturnType<ToxicStore['save']>;
  readonly state: SavedState;
  readonly collections: SavedCollections;
  readonly answers: SavedAnswers;
  readonly sequences: SavedSequences;
}

/** A set of protocols with the services they share. */
export class BacklotHost implements Host {
  readonly version: string;
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly kinds: readonly KindHost[];
  readonly faults = new FaultStore();
  readonly toxics: ToxicStore;
  readonly scenarios: ScenarioStore;
  readonly state: StateStore;
  readonly collections: CollectionStore;
  readonly streams: StreamStore;
  readonly journal: Journal;
  readonly webhooks: WebhookSender | undefined;
  readonly snapshots: SnapshotStore<Saved>;
  /** What is wrong with the settings; a host with problems must not be started. */
  readonly problems: readonly Problem[];
  readonly #options: HostOptions;
  readonly #preparations: Preparations;
  readonly #byKind: ReadonlyMap<string, KindHost>;
  readonly #services: SharedServices;
  readonly #sequences = new Sequences();
  readonly #once = new OnceStore();
  /** Scopes that no message has made. */
  #scopes = 0;
  readonly #keys: KeyRing;
  #startup: Saved | undefined;
  #startedAt = realElapsed();
  #stopping: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;

  /** @param remembers - whether mocks that are found valid are kept for another host that is made of the same settings */
  constructor(options: HostOptions, remembers = false) {
    this.#options = options;
    this.version = options.version ?? '0.0.0';
    const log = options.log;
    const logOf: SharedServices['log'] = (kind) => ({
      info: (text) => log?.({ level: 'info', kind, text }),
      warn: (text) => log?.({ level: 'warn', kind, text }),
      error: (text, thrown) =>
        log?.({ level: 'error', kind, text: thrown === undefined ? text : `${text}: ${messageOf(thrown)}` }),
    });
    this.clock = new VirtualClock((thrown) => logOf('clock').error('a callback failed', thrown));
    this.seed = options.seed ?? freshSeed();
    this.state = new StateStore(this.clock, (text) => logOf('state').warn(text));
    this.toxics = new ToxicStore(this.clock, this.seed, (kind, thrown) =>
      logOf(kind).error('a change of the toxics could not be followed', thrown),
    );
    this.streams = new StreamStore(this.clock);
    this.journal = new Journal(options.logs?.max_entries, options.logs?.max_bytes);
    this.webhooks = options.webhooks?.({ clock: this.clock, log: logOf('webhooks') });
    this.collections = new CollectionStore(
      () => new Scope(this.#services, undefined, () => ({}), ['collections', ++this.#scopes]),
    );
    const unfitKeys =
      options.keys === undefined ? [] : createValidator(KeysSchema).check(options.keys, '/keys');
    this.#keys = new KeyRing(unfitKeys.length === 0 ? (options.keys ?? {}) : {}, this.seed);
    const functionProblems: Problem[] = [];
    const functionLimit = functionLimitOf(options.functions, functionProblems);
    const services = this.#makeServices(logOf, remembers, functionLimit);
    this.#services = services;
    const problems: Problem[] = [
      ...functionProblems,
      ...checkInstalled(options),
      ...unfitKeys,
      ...this.#keys.makeAll(),
    ];
    try {
      this.state.setAll(options.state ?? {});
    } catch (thrown) {
      problems.push(...problemsIn(thrown, '/state'));
    }
    if (options.collections !== undefined)
      problems.push(...this.collections.load(options.collections, '/collections'));
    const settings = options.settings ?? {};
    this.kinds = options.protocols.map(
      (protocol) =>
        new KindHost(
          protocol,
          Object.hasOwn(settings, protocol.kind) ? (settings[protocol.kind] ?? {}) : {},
          services,
        ),
    );
    this.#preparations = new Preparations(this.kinds);
    this.#byKind = new Map(this.kinds.map((kind) => [kind.kind, kind]));
    for (const { kind, protocol } of this.kinds) {
      const { streams } = protocol;
      if (streams === undefined) continue;
      this.streams.declare(kind, createValidator(streams.data), streams.areConnections);
    }
    problems.push(...this.kinds.flatMap((kind) => kind.problems));
    problems.push(...shareListeners(this.#byKind, settings));
    this.scenarios = new ScenarioStore(
      new Map(this.kinds.map((kind) => [kind.kind, kind.mocks])),
      this.faults,
      this.toxics,
      (text) => logOf('scenarios').warn(text),
    );
    problems.push(...this.scenarios.load(options.scenarios ?? [], '/scenarios'));
    this.problems = problems;
    this.state.onChange((key) => {
      for (const { mocks, table } of this.kinds)
        if (mocks.hasListeners && table.dependsOnState(key)) mocks.conditionsChanged();
    });
    this.snapshots = new SnapshotStore(
      this.clock,
      () => this.#save(),
      (saved) => this.#restore(saved),
      (saved, signal) =>
        this.#preparations.run(saved.kinds, (prepared) => this.#restore(saved, prepared), signal),
    );
  }

  get health(): 'ok' | 'stopping' {
    return this.#stopping === undefined ? 'ok' : 'stopping';
  }

  get uptime(): number {
    return realElapsed() - this.#startedAt;
  }

  hasKind(name: string): boolean {
    return this.#byKind.has(name);
  }

  kind<P extends Protocol>(protocol: P): Kind<TypesOf<P>>;
  kind(name: string): KindHost;
  kind(which: string | Protocol): never {
    const name = typeof which === 'string' ? which : which.kind;
    const kind = this.#byKind.get(name);
    if (kind === undefined) {
      const installed = this.kinds.map((one) => one.kind).join(', ');
      throw new BacklotError('not_found', `protocol "${name}" is not installed; installed are ${installed}`);
    }
    // The types of the declaration are the caller's; the host treats every kind alike.
    return kind as never;
  }

  collection<Row = Json>(name: string): Collection<Row> {
    return this.collections.get(name);
  }

  async start(): Promise<void> {
    if (this.#startup !== undefined) throw new BacklotError('conflict', 'the host was started before');
    const enabled = this.kinds.filter((kind) => kind.enabled);
    try {
      for (const kind of enabled) await this.#create(kind);
      admitGuests(enabled);
      refuseToxics(enabled, this.scenarios);
      this.#startup = this.#save();
      await startKinds(enabled);
    } catch (thrown) {
      await this.stop(0);
      throw thrown;
    }
    this.#startedAt = realElapsed();
    this.#watchStalls();
    logEmitWarnings(this);
  }

  /** Somebody must read the log, and have asked for it: the watch looks ten times a second. */
  #watchStalls(): void {
    const { log, watchEventLoop = false } = this.#options;
    if (log === undefined || !watchEventLoop || this.#stopping !== undefined) return;
    const stallLog = new StallLog(this.kinds, (text) => log({ level: 'warn', kind: 'backlot', text }));
    this.#unwatch = stalls.listen((stall) => stallLog.take(stall, this.#services.latest));
  }

  async #create(kind: KindHost): Promise<void> {
    const context = makeContext(
      kind,
      this.streams,
      (other) => {
        const found = this.#byKind.get(other);
        return found?.enabled === true ? found.captures : undefined;
      },
      (gives, follower) => followCaptures(this.kinds, gives, follower),
    );
    try {
      kind.service = await kind.protocol.create(context);
    } catch (thrown) {
      throw namePlugin(kind.kind, thrown);
    }
  }

  stop(grace = DEFAULT_GRACE): Promise<void> {
    return (this.#stopping ??= this.#stop(grace));
  }

  reset(): void {
    this.#reset();
  }

  resetInSlices(signal?: AbortSignal): Promise<void> {
    const saved = this.#startup?.kinds ?? [];
    return this.#preparations.run(saved, (prepared) => this.#reset(prepared), signal);
  }

  #reset(prepared?: Prepared): void {
    this.#services.epoch += 1;
    this.clock.reset();
    if (this.#startup !== undefined) this.#restoreData(this.#startup, this.clock.now(), prepared);
    this.journal.clear();
    this.#endWhatIsUnderWay();
    this.webhooks?.reset();
  }

  async #stop(grace: number): Promise<void> {
    this.#unwatch?.();
    for (const kind of this.kinds) kind.calls.cancelWaits();
    this.#services.emitter.clear();
    this.streams.closeAll();
    await stopServices(this.kinds, grace);
    await this.webhooks?.stop();
    this.clock.stop();
  }

  #makeServices(log: SharedServices['log'], remembers: boolean, functionLimit: number): SharedServices {
    return {
      clock: this.clock,
      seed: this.seed,
      state: this.state,
      collections: this.collections,
      once: this.#once,
      journal: this.journal,
      vars: structuredClone(this.#options.vars ?? {}),
      keys: this.#keys,
      webhooks: this.webhooks,
      emitter: new Emitter(this.streams, this.clock),
      faults: this.faults,
      toxics: this.toxics,
      defaultHost: this.#options.host ?? 'localhost',
      takesDefaultPorts: this.#options.ports === 'default',
      remembers,
      functionLimit,
      log,
      epoch: 0,
      latest: undefined,
      sequences: this.#sequences,
    };
  }

  #save(): Saved {
    return {
      kinds: this.kinds.map((kind) => kind.save()),
      scenarios: this.scenarios.save(),
      faults: this.faults.save(),
      toxics: this.toxics.save(),
      state: this.state.save(),
      collections: this.collections.save(),
      answers: this.#once.save(),
      sequences: this.#sequences.save(),
    };
  }

  /** A snapshot: like a reset, but the journal, webhooks and time stay as they are. */
  #restore(saved: Saved, prepared?: Prepared): void {
    this.#services.epoch += 1;
    this.#restoreData(saved, undefined, prepared);
    this.#endWhatIsUnderWay();
  }

  #restoreData(saved: Saved, createdAt?: number, prepared?: Prepared): void {
    this.#sequences.restore(saved.sequences);
    this.state.restore(saved.state);
    this.collections.restore(saved.collections);
    this.#once.restore(saved.answers);
    // The mocks take the patches of the active scenarios when they are restored, and the faults what they overlay.
    this.scenarios.restore(saved.scenarios);
    this.faults.restore(saved.faults);
    this.toxics.restore(saved.toxics, createdAt);
    this.kinds.forEach((kind, index) => {
      const savedKind = saved.kinds[index];
      if (savedKind !== undefined) kind.restore(savedKind, createdAt, prepared?.[index]);
    });
  }

  #endWhatIsUnderWay(): void {
    this.#services.emitter.clear();
    this.streams.closeAll();
    for (const kind of this.kinds) {
      kind.calls.cancelWaits();
      try {
        kind.service?.reset?.();
      } catch (thrown) {
        kind.log.error('reset failed', thrown);
      }
    }
  }
}
