import { CollectionStore } from '../collections/collection-store.js';
import { OnceStore } from '../collections/once-store.js';
import type { Collection } from '../contract/collections.js';
import type { Json } from '../contract/given.js';
import type { TypesOf } from '../contract/types-of.js';
import type { Host, HostOptions } from '../contract/host.js';
import type { Kind } from '../contract/kind.js';
import type { Protocol } from '../contract/protocol.js';
import type { Reconfigured } from '../contract/reconfigured.js';
import type { MatchChanges } from '../contract/shared-changes.js';
import type { Span } from '../contract/span.js';
import type { StoredData } from '../contract/stored-data.js';
import type { Log } from '../contract/log.js';
import type { BegunCheck, Check, MessagesElsewhere, Verdict } from '../contract/verification.js';
import type { WebhookSender } from '../contract/webhook.js';
import { BacklotError, invalid, problemsIn, type Problem } from '../errors.js';
import { FaultStore } from '../faults/fault-store.js';
import type { Journal } from '../journal/journal.js';
import { logSpan } from '../journal/log-span.js';
import type { MockStore } from '../mocks/mock-store.js';
import { freshSeed, hashText } from '../random/random.js';
import { IncidentStore } from '../incidents/incident-store.js';
import { ScenarioIncidents } from '../scenarios/scenario-incidents.js';
import { ScenarioStore } from '../scenarios/scenario-store.js';
import { Scope } from '../pipeline/scope.js';
import { takeChanges } from '../pipeline/take-changes.js';
import { SpaceBook } from '../spaces/space-book.js';
import { readSpaceLimits } from '../spaces/space-limits.js';
import { Sequences } from '../stores/sequences.js';
import { StateStore } from '../stores/state-store.js';
import { Emitter } from '../emits/emitter.js';
import { Verifications } from '../verify/verifications.js';
import { emit } from '../reactions/emission.js';
import { ReactionStore } from '../reactions/reaction-store.js';
import { StreamStore } from '../stores/stream-store.js';
import { realElapsed } from '../time/clock-real.js';
import { stalls } from '../time/clock-stalls.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { refuseToxics } from '../toxics/refuse-toxics.js';
import { ToxicStore } from '../toxics/toxic-store.js';
import type { Trouble } from '../contract/trouble.js';
import { troublesOf } from './troubles.js';
import { VirtualClock } from '../time/clock-virtual.js';
import { KeyRing } from '../keys/key-ring.js';
import { KeysSchema } from '../keys/key-schema.js';
import { createValidator } from '../validation/validator.js';
import { checkInstalled } from './check-installed.js';
import { logEmitWarnings } from './emit-warnings.js';
import { exportOptions } from './export-options.js';
import { functionLimitOf } from './function-limit.js';
import { notTaken, withLasting } from './lasting-options.js';
import { makeJournal } from './make-journal.js';
import { KindHost, type SharedServices } from './kind-host.js';
import { followCaptures } from './follow-captures.js';
import { makeContext } from './make-context.js';
import { admitGuests, shareAsIn, shareListeners } from './sharing.js';
import { hostLog } from './host-log.js';
import { reconfigure } from './reconfigure.js';
import type { Reconfiguration } from './reconfiguration.js';
import { WakingKinds } from './waking-kinds.js';
import { Preparations, type Prepared } from './preparations.js';
import type { Saved } from './saved.js';
import { StallLog } from './stall-log.js';
import { diffSteps, type SnapshotSection } from './snapshot-diff.js';
import { SnapshotStore } from './snapshot-store.js';
import { StoredOfHost } from './stored-data.js';
import { loadContracts } from '../contracts/load-contract.js';
import { namePlugin, startKinds } from './start-kinds.js';
import { stopServices } from './stop-services.js';

const DEFAULT_GRACE = 2_000;

/** The host that a space is made of. */
interface Origin {
  readonly id: string;
  readonly seed: number | undefined;
  readonly host: BacklotHost;
}

/** How a host is made. */
interface Making {
  /** Whether mocks that are found valid are kept for another host that is made of the same settings. */
  readonly remembers?: boolean;
  /** Whether what the options hold is taken by {@link BacklotHost.loadSteps}, and not at once. */
  readonly loadsLater?: boolean;
  /** Absent for a host that is no space. */
  readonly origin?: Origin;
}

/** A set of protocols with the services they share. */
export class BacklotHost implements Host {
  readonly version: string;
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly kinds: KindHost[];
  readonly faults: FaultStore;
  readonly toxics: ToxicStore;
  readonly scenarios: ScenarioStore;
  readonly incidents: IncidentStore;
  readonly reactions: ReactionStore;
  readonly state: StateStore;
  readonly collections: CollectionStore;
  readonly streams: StreamStore;
  readonly journal: Journal;
  readonly webhooks: WebhookSender | undefined;
  readonly snapshots: SnapshotStore<Saved>;
  readonly spaces: SpaceBook;
  readonly space: string | undefined;
  readonly stored: StoredData = new StoredOfHost(this);
  /** What is wrong with the settings; a host with problems must not be started. */
  readonly problems: Problem[] = [];
  #options: HostOptions;
  readonly #preparations: Preparations;
  readonly #byKind: Map<string, KindHost>;
  readonly #stores: Map<string, MockStore>;
  #reconfiguring: Promise<unknown> = Promise.resolve();
  /** The taking of other options that has begun and not ended. */
  #underWay: Promise<void> | undefined;
  readonly #services: SharedServices;
  readonly #sequences = new Sequences();
  readonly #once = new OnceStore();
  readonly #verifications: Verifications;
  readonly #spanLog: Log;
  /** Scopes that no message has made. */
  #scopes = 0;
  readonly #keys: KeyRing;
  readonly #wakes: WakingKinds | undefined;
  #startup: Saved | undefined;
  #startedAt = realElapsed();
  #stopping: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;

  constructor(options: HostOptions, { remembers = false, loadsLater = false, origin }: Making = {}) {
    this.#options = options;
    this.version = options.version ?? '0.0.0';
    this.space = origin?.id;
    const logOf = hostLog(options.log, origin?.id);
    this.clock = new VirtualClock((thrown) => logOf('clock').error('a callback failed', thrown));
    this.faults = new FaultStore(this.clock, options.replica !== undefined);
    this.seed = origin?.seed ?? origin?.host.seed ?? options.seed ?? freshSeed();
    this.state = new StateStore(this.clock, (text) => logOf('state').warn(text));
    this.toxics = new ToxicStore(this.clock, this.seed, this.faults, (kind, thrown) =>
      logOf(kind).error('a change of the toxics could not be followed', thrown),
    );
    this.streams = new StreamStore(this.clock);
    this.journal = makeJournal(options, origin?.id);
    this.#spanLog = logOf('spans');
    this.webhooks = options.webhooks?.({ clock: this.clock, log: logOf('webhooks') });
    this.collections = new CollectionStore(
      () =>
        new Scope({ ...this.#services, seed: this.seed }, undefined, () => ({}), [
          'collections',
          ++this.#scopes,
        ]),
      options.replica !== undefined,
    );
    const unfitKeys =
      options.keys === undefined ? [] : createValidator(KeysSchema).check(options.keys, '/keys');
    this.#keys =
      origin === undefined
        ? new KeyRing(unfitKeys.length === 0 ? (options.keys ?? {}) : {}, this.seed)
        : origin.host.#keys;
    const functionProblems: Problem[] = [];
    const functionLimit = functionLimitOf(options.functions, functionProblems);
    const spaceLimits = readSpaceLimits(options.spaces, functionProblems);
    this.spaces = new SpaceBook({
      limits: spaceLimits,
      make: (id, seed) => this.#makeSpace(id, seed),
      failed: (text, thrown) => logOf('spaces').error(text, thrown),
    });
    const services = this.#makeServices(logOf, remembers, functionLimit, origin);
    this.#services = services;
    const { problems } = this;
    problems.push(...functionProblems);
    if (origin === undefined)
      problems.push(...checkInstalled(options), ...unfitKeys, ...this.#keys.makeAll());
    const settings = options.settings ?? {};
    this.kinds = options.protocols.map(
      (protocol, index) =>
        new KindHost(
          origin?.host.kinds[index]?.protocol ?? protocol,
          Object.hasOwn(settings, protocol.kind) ? (settings[protocol.kind] ?? {}) : {},
          services,
          origin?.host.kinds[index],
        ),
    );
    this.#preparations = new Preparations(this.kinds);
    this.#byKind = new Map(this.kinds.map((kind) => [kind.kind, kind]));
    this.#verifications = new Verifications(this.kinds, this.journal);
    for (const { kind, protocol } of this.kinds) {
      const { streams } = protocol;
      if (streams === undefined) continue;
      this.streams.declare(kind, createValidator(streams.data), streams.areConnections);
    }
    if (origin !== undefined) shareAsIn(origin.host.#byKind, this.#byKind);
    this.#stores = new Map(this.kinds.map((kind) => [kind.kind, kind.mocks]));
    this.scenarios = new ScenarioStore(this.#stores, this.faults, this.toxics, (text) =>
      logOf('scenarios').warn(text),
    );
    this.incidents = new IncidentStore({
      ...{ kinds: this.kinds, faults: this.faults, toxics: this.toxics, clock: this.clock },
      log: logOf('incidents'),
    });
    this.scenarios.incidents = new ScenarioIncidents(this.incidents, (text) => logOf('scenarios').warn(text));
    if (origin !== undefined) this.#wakes = new WakingKinds(this.kinds, (kind) => this.#create(kind));
    this.reactions = new ReactionStore({
      ...{ kinds: this.kinds, journal: this.journal, services, state: this.state, faults: this.faults },
      ...{ scenarios: this.scenarios, incidents: this.incidents },
      ...{ streams: this.streams, webhooks: this.webhooks },
      ...{ log: logOf('reactions'), isReplica: options.replica !== undefined, onlyChecks: remembers },
    });
    if (!loadsLater) runAtOnce(this.loadSteps());
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
      (before, after) => diffSteps(this.#sectionsOf(before), this.#sectionsOf(after)),
    );
  }

  addSpan(span: Span): void {
    logSpan(this.journal, span, this.#spanLog);
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

  async emit(kind: string, message: Json): Promise<Json> {
    const found = this.kind(kind);
    await found.load();
    return emit(found, this.streams, message);
  }

  takeChanges(changes: MatchChanges, isPast = false): void {
    takeChanges(changes, { ...this.#services, kindOf: (name) => this.#byKind.get(name), isPast });
  }

  verify(check: Check, signal?: AbortSignal, elsewhere?: MessagesElsewhere): Promise<Verdict> {
    return this.#verifications.verify(check, signal, elsewhere);
  }

  beginCheck(check: Check): Promise<BegunCheck> {
    return this.#verifications.begin(check);
  }

  /** When the newest message has begun, by the clock of `realElapsed`; -Infinity while there was none. */
  get lastMessageAt(): number {
    return this.#services.latest?.began ?? -Infinity;
  }

  /** Starts kinds of a space. @throws BacklotError `invalid` for names of kinds that are not enabled */
  async wakeKinds(names: readonly string[]): Promise<void> {
    await this.#wakes?.wakeAll(names);
  }

  /**
   * What the service of a kind has as `entrance`, once it runs.
   *
   * @throws BacklotError `not_enabled` when it does not run, or has none
   */
  async entranceOf(kind: string): Promise<unknown> {
    await this.#wakes?.wake(kind);
    const { entrance } = this.kind(kind).service ?? {};
    if (entrance !== undefined) return entrance;
    throw new BacklotError('not_enabled', `${kind} takes nothing in the space that came to another port`);
  }

  async start(): Promise<void> {
    if (this.#startup !== undefined) throw new BacklotError('conflict', 'the host was started before');
    const enabled = this.kinds.filter((kind) => kind.enabled);
    try {
      for (const kind of enabled) {
        await this.#create(kind);
        kind.keepFirst();
      }
      admitGuests(enabled);
      refuseToxics(enabled, this.scenarios);
      this.#startup = this.#save();
      await startKinds(enabled);
      await this.scenarios.beginIncidents();
      this.reactions.start();
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
        if (found?.enabled !== true) return undefined;
        if (kind.hasHome) found.hasHome = true;
        return found.captures;
      },
      (gives, follower, until) => followCaptures(this.kinds, kind, gives, follower, until),
    );
    try {
      kind.service = await kind.protocol.create(context);
    } catch (thrown) {
      throw namePlugin(kind.kind, thrown);
    }
    if (kind.config.upstream?.url !== undefined && !kind.followsUpstream)
      throw invalid(`${kind.kind} has no upstream: its service never asks for it`);
  }

  troubles(): readonly Trouble[] {
    return troublesOf(this);
  }

  stop(grace = DEFAULT_GRACE): Promise<void> {
    return (this.#stopping ??= this.#stop(grace));
  }

  reset(): void {
    this.#reset();
  }

  forgetStored(): void {
    for (const kind of this.kinds) if (kind.hasHome) kind.forgetStored();
    for (const { host } of this.spaces.list()) host.forgetStored();
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
    this.#verifications.cancel();
    this.#endWhatIsUnderWay();
    this.webhooks?.reset();
  }

  configuration(): Json {
    return exportOptions(this, this.#options);
  }

  reconfigure(options: HostOptions): Promise<Reconfigured> {
    const done = this.#reconfiguring.then(() => this.#reconfigure(options));
    const ended = done.then(
      () => undefined,
      () => undefined,
    );
    this.#reconfiguring = ended;
    this.#underWay = ended;
    void ended.then(() => {
      if (this.#underWay === ended) this.#underWay = undefined;
    });
    return done;
  }

  async #reconfigure(options: HostOptions): Promise<Reconfigured> {
    const startup = this.#startup;
    if (startup === undefined || this.#stopping !== undefined || this.space !== undefined)
      throw new BacklotError(
        'not_enabled',
        'other options are taken by a host that runs: after its start, before its stop, and not by a space',
      );
    const before = this.#options;
    // What it has to say of them was said when the options were read.
    const quiet = Object.entries(options).filter(([name]) => name !== 'log');
    const after = {
      ...Object.fromEntries(quiet),
      ...(before.webhooks === undefined ? {} : { webhooks: before.webhooks }),
      seed: this.seed,
    } as unknown as HostOptions;
    const next = new BacklotHost(after, { loadsLater: true });
    await next.loadContracts();
    await runInSlices(next.loadSteps());
    const [first] = next.problems;
    const nextStartup = next.#save();
    void next.stop(0);
    if (first !== undefined) throw invalid(`${first.path}: ${first.message}`, next.problems);
    const work: Reconfiguration = {
      ...{ host: this, next, before, after, startup, nextStartup },
      create: (kind) => this.#create(kind),
      adopt: (kind) => this.#adopt(kind.protocol),
      putBack: (kind) => this.#putKind(kind),
    };
    return this.#preparations.alone(async () => {
      const { startup: put, ...done } = await reconfigure(work, () => this.#takeLimits(before, after));
      this.#startup = put;
      this.#options = {
        ...withLasting(options, before),
        protocols: this.kinds.map(({ protocol }) => protocol),
      };
      return { ...done, notTaken: notTaken(before, options) };
    });
  }

  /** Puts a kind that nobody has used, and of which there was a manifest alone, whole in its place. */
  #adopt(protocol: Protocol): KindHost {
    const made = new KindHost(protocol, { enabled: false }, this.#services);
    this.scenarios.patch(made.mocks);
    this.#putKind(made);
    return made;
  }

  #putKind(kind: KindHost): void {
    this.kinds[this.kinds.findIndex((each) => each.kind === kind.kind)] = kind;
    this.#byKind.set(kind.kind, kind);
    this.#stores.set(kind.kind, kind.mocks);
  }

  /** @returns the names of the options that hold from now on */
  #takeLimits(before: HostOptions, after: HostOptions): string[] {
    const differing = (['vars', 'functions', 'spaces'] as const).filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    );
    const vars = this.#services.vars as Record<string, unknown>;
    if (differing.includes('vars')) {
      for (const name of Object.keys(vars)) delete vars[name];
      Object.assign(vars, structuredClone(after.vars ?? {}));
    }
    this.#services.functionLimit = functionLimitOf(after.functions, []);
    this.spaces.limits = readSpaceLimits(after.spaces);
    return differing;
  }

  async #stop(grace: number): Promise<void> {
    this.#unwatch?.();
    // What it starts is to be stopped too.
    if (this.#underWay !== undefined) await this.#underWay;
    const spaces = this.spaces.close(grace);
    await this.#wakes?.close();
    for (const kind of this.kinds) kind.calls.cancelWaits();
    this.#verifications.cancel();
    this.reactions.stop();
    this.#services.emitter.clear();
    this.streams.closeAll();
    await Promise.all([spaces, stopServices(this.kinds, grace)]);
    await this.webhooks?.stop();
    this.clock.stop();
  }

  /** Reads the contracts that the settings name, before {@link loadSteps}, and notes what is wrong with them. */
  async loadContracts(): Promise<void> {
    this.problems.push(...(await loadContracts(this.kinds, this.seed)));
  }

  /** Takes what the options hold, in steps, and notes what is wrong with it; a space has it of its host. */
  *loadSteps(): Generator<undefined, void> {
    const { problems } = this;
    const { state = {}, collections, settings = {}, scenarios = [], reactions = [] } = this.#options;
    if (this.space === undefined) {
      try {
        this.state.setAll(state);
      } catch (thrown) {
        problems.push(...problemsIn(thrown, '/state'));
      }
      if (collections !== undefined)
        problems.push(...(yield* this.collections.loadSteps(collections, '/collections')));
    }
    for (const kind of this.kinds) problems.push(...kind.problems, ...(yield* kind.loadSteps()));
    if (this.space === undefined) {
      problems.push(...shareListeners(this.#byKind, settings));
      problems.push(...(yield* this.scenarios.loadSteps(scenarios, '/scenarios')));
    }
    problems.push(...this.reactions.take(reactions, '/reactions'));
  }

  /** A host beside this one that shares its settings, with what they say: its kinds wait for their first use. */
  async #makeSpace(id: string, seed: number | undefined): Promise<BacklotHost> {
    const saved = this.#startup;
    if (this.space !== undefined)
      throw new BacklotError('invalid', 'a space has no spaces of its own; make it beside this one');
    if (saved === undefined || this.#stopping !== undefined)
      throw new BacklotError(
        'not_enabled',
        'spaces are made while the host runs: after its start, before its stop',
      );
    const space = new BacklotHost(this.#options, { origin: { id, seed, host: this } });
    await space.clock.followFrom(this.clock.behind);
    await space.#inherit(saved);
    return space;
  }

  async #inherit(saved: Saved): Promise<void> {
    this.#restoreStores(saved, this.clock.now());
    for (const [index, kind] of this.kinds.entries()) {
      const savedKind = saved.kinds[index];
      if (savedKind !== undefined) await kind.inherit(savedKind);
    }
    this.#startup = this.#save();
    this.#startedAt = realElapsed();
    await this.scenarios.beginIncidents();
    this.reactions.start();
  }

  #makeServices(
    log: SharedServices['log'],
    remembers: boolean,
    functionLimit: number,
    origin: Origin | undefined,
  ): SharedServices {
    return {
      clock: this.clock,
      seed: chanceOf(this.seed, this.#options),
      isReplica: this.#options.replica !== undefined,
      sharedCounts: this.#options.sharedCounts,
      sharedChanges: this.#options.sharedChanges,
      sharedPorts: this.#options.sharedPorts,
      kindsWith: (field) =>
        this.kinds.flatMap(({ protocol: { meta, mocks } }) =>
          Object.hasOwn(mocks.schema.properties, field) ? [meta.title] : [],
        ),
      state: this.state,
      collections: this.collections,
      once: this.#once,
      journal: this.journal,
      vars: origin === undefined ? structuredClone(this.#options.vars ?? {}) : origin.host.#services.vars,
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
      spaces: (origin?.host ?? this).spaces,
      space: origin?.id,
      wake: async (kind) => this.#wakes?.wake(kind),
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
      reactions: this.reactions.save(),
    };
  }

  /** What is compared of a snapshot. */
  *#sectionsOf(saved: Saved): Generator<SnapshotSection> {
    for (const [index, { kind }] of this.kinds.entries()) {
      const { mocks, items, captures = [] } = saved.kinds[index] ?? {};
      const slots = mocks?.slots ?? [];
      const stored = new Map(slots.map(({ value }) => [value.id, value]));
      yield { part: 'mocks', name: kind, values: stored };
      for (const [list, values] of items ?? [])
        yield { part: 'items', name: `${kind}/${list}`, values: new Map(values) };
      const messages = new Map(captures.map(({ value }) => [String((value as { id?: unknown }).id), value]));
      yield { part: 'messages', name: kind, values: messages, isBare: true };
    }
    const { scenarios, active } = saved.scenarios;
    const shown = scenarios.map((each) => [each.id, { ...each, active: active.includes(each.id) }] as const);
    yield { part: 'scenarios', values: new Map(shown) };
    const faults = new Map(saved.faults.direct.map(([kind, fault]) => [kind, fault]));
    yield { part: 'faults', values: faults };
    const state = new Map(saved.state.map(([key, { value }]) => [key, value]));
    yield { part: 'state', values: state };
    for (const [name, { rows }] of saved.collections) {
      const values = new Map(Array.from(rows.rows, ([key, { value }]) => [key, value]));
      yield { part: 'collections', name, values };
    }
  }

  /** A snapshot: like a reset, but the journal, webhooks and time stay as they are. */
  #restore(saved: Saved, prepared?: Prepared): void {
    this.#services.epoch += 1;
    this.#restoreData(saved, undefined, prepared);
    this.#endWhatIsUnderWay();
  }

  #restoreData(saved: Saved, createdAt?: number, prepared?: Prepared): void {
    this.reactions.suspend();
    this.incidents.stopAll();
    this.#restoreStores(saved, createdAt);
    this.kinds.forEach((kind, index) => {
      const savedKind = saved.kinds[index];
      if (savedKind !== undefined) kind.restore(savedKind, createdAt, prepared?.[index]);
    });
    void this.scenarios.beginIncidents();
    this.reactions.restore(saved.reactions);
  }

  #restoreStores(saved: Saved, createdAt: number | undefined): void {
    this.#sequences.restore(saved.sequences);
    this.state.restore(saved.state);
    this.collections.restore(saved.collections);
    this.#once.restore(saved.answers);
    // The mocks take the patches of the active scenarios when they are restored, and the faults what they overlay.
    this.scenarios.restore(saved.scenarios);
    this.faults.restore(saved.faults);
    this.toxics.restore(saved.toxics, createdAt);
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

/** The seed of what happens to messages: replicas of the same seed give other ids and other numbers. */
function chanceOf(seed: number, { replica }: HostOptions): number {
  return replica === undefined ? seed : hashText(`${seed} ${replica}`);
}
