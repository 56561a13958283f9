import type { CoreConfig } from '../contract/schema.js';
import type { KindContract } from '../contracts/kind-contract.js';
import type { Log } from '../contract/log.js';
import type { Json } from '../contract/given.js';
import type { DryRun, DryRunOptions, Explanation, Kind, KindFault } from '../contract/kind.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Message } from '../contract/message.js';
import type { Protocol } from '../contract/protocol.js';
import type { FurtherListener, ListenAddress, Service } from '../contract/service.js';
import { BacklotError, messageOf, type Problem } from '../errors.js';
import { compileMatch, type MatchSurroundings, type MessageTest } from '../faults/compile-match.js';
import type { EffectiveFault, FaultStore } from '../faults/fault-store.js';
import type { LogCounter } from '../journal/log-counter.js';
import type { OutcomeTally } from '../contract/tally.js';
import type { Tally } from '../journal/tally.js';
import { UpstreamCounts } from '../journal/upstream-counts.js';
import { MockStore } from '../mocks/mock-store.js';
import { MockTable } from '../mocks/mock-table.js';
import type { Counters } from '../mocks/counters.js';
import type { SharedPorts } from '../contract/shared-ports.js';
import { isLogged } from '../pipeline/answered-match.js';
import { Calls } from '../pipeline/call-book.js';
import { dataRefusal } from '../pipeline/data-refusal.js';
import { Exchange } from '../pipeline/exchange.js';
import { MockSurroundings } from '../pipeline/mock-surroundings.js';
import type { CompiledFault, HostServices, KindRuntime } from '../pipeline/runtime.js';
import { UnderWay } from '../pipeline/under-way.js';
import { hashText } from '../random/random.js';
import { createCaptures, type CaptureStore } from '../stores/capture-store.js';
import { spaceConfig } from '../spaces/space-config.js';
import type { SpaceFinder } from '../spaces/space-doors.js';
import { ItemStore } from '../stores/item-store.js';
import type { StateStore } from '../stores/state-store.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import type { ToxicsOfKind } from '../toxics/kind-toxics.js';
import type { ToxicStore } from '../toxics/toxic-store.js';
import { isObject } from '../validation/pointer.js';
import { BroughtMocks } from './brought-mocks.js';
import { dryRun } from './dry-run.js';
import { explainSteps } from './explain-message.js';
import { ServiceData } from './kind-data.js';
import { Following } from './following.js';
import { OpenConnections } from './open-connections.js';
import { keepsData } from './ports-of.js';
import { readSettings, type Settings } from './read-settings.js';
import type { PreparedKind } from './prepared-kind.js';
import { SnapshotParts, type SavedParts } from './snapshot-parts.js';
import { StoredOfKind } from './stored-of-kind.js';
import { urlOf } from './url-of.js';
import { listenerVariables, urlVariableOf, variablesOf } from './variables.js';

const NO_MISSES: readonly NearMiss[] = Object.freeze([]);

/** Everything a kind has to be put back to. */
export interface SavedKind {
  readonly mocks: ReturnType<MockStore['save']>;
  readonly items: readonly (readonly [string, ReturnType<ItemStore['save']>])[];
  readonly captures: ReturnType<CaptureStore['save']> | undefined;
  readonly kept: SavedParts;
  readonly brought: ReturnType<BroughtMocks['save']>;
  readonly exchanges: number;
}

/** What the kinds of a host share beyond what an exchange needs. */
export interface SharedServices extends HostServices {
  readonly state: StateStore;
  readonly faults: FaultStore;
  readonly toxics: ToxicStore;
  readonly defaultHost: string;
  /** Whether a kind whose settings name no port listens on its default port, else on a free one. */
  readonly takesDefaultPorts: boolean;
  /** Whether mocks that are found valid are kept for another host that is made of the same settings. */
  readonly remembers: boolean;
  /** Whether other hosts answer the same clients. */
  readonly isReplica: boolean;
  /** Listens where several processes have the same ports. */
  readonly sharedPorts: SharedPorts | undefined;
  /** The titles of the kinds whose mocks have such a field, as far as their declarations are loaded. */
  kindsWith(field: string): readonly string[];
  log(kind: string): Log;
  /** The spaces beside this host. */
  readonly spaces: SpaceFinder;
  /** Starts a kind that waits for its first use; does nothing when it runs, or starts with its host. */
  wake(kind: string): Promise<void>;
}

/** One protocol in a host: its stores, its configuration, its running service. */
export class KindHost implements Kind, KindRuntime {
  readonly kind: string;
  enabled: boolean;
  readonly fault: KindFault | undefined;
  readonly services: SharedServices;
  readonly table: MockTable;
  readonly mocks: MockStore;
  readonly itemLists = new Map<string, ItemStore>();
  readonly captures: CaptureStore | undefined;
  readonly calls: Calls;
  readonly connections = new OpenConnections(this);
  readonly toxics: ToxicsOfKind;
  readonly data = new ServiceData(this);
  readonly counts: Counters;
  readonly kindCounter: LogCounter;
  tally: Tally | undefined = undefined;
  upstreamCounts: UpstreamCounts | undefined = undefined;
  readonly log: Log;
  readonly faultHash: number;
  snapshotParts = new SnapshotParts();
  readonly following = new Following();
  /** What clients have done to the mocks. */
  readonly brought: BroughtMocks;
  /** What clients have stored, as it passes to another process. */
  readonly stored = new StoredOfKind(this);
  /** Problems of the kind's settings beside its lists, found while it was made. */
  readonly problems: readonly Problem[];
  /** Stores the mocks and items of its settings, see {@link Settings.loadSteps}. */
  readonly loadSteps: Settings['loadSteps'];
  readonly underWay = new UnderWay();
  service: Service | undefined = undefined;
  /** The kind whose listener it shares. */
  giver: KindHost | undefined = undefined;
  #address: ListenAddress | undefined = undefined;
  /** Whether one of several processes takes all that comes to it, since what it keeps is in one place. */
  hasHome: boolean;
  /** Whether its service has asked for the upstream. */
  followsUpstream = false;
  /** Why it could not start. */
  failure: string | undefined = undefined;
  /** Since the start: exceptions that were caught, and how often it has held the event loop for too long. */
  caught = 0;
  stalls = 0;
  config: CoreConfig & Json;
  /** What its messages and mocks are held to; that of the host in a space. */
  contract: KindContract | undefined;
  #protocol: Protocol;
  #fault: EffectiveFault;
  #exchanges = 0;

  /** What the parts that protocols keep are put back to where a snapshot has nothing of them. */
  #firstKept: SavedParts = [];

  /** @param origin - the same kind of the host that this one is a space of: its settings are taken, and its mocks with {@link inherit} */
  /** Whether it was made of a manifest: its mocks are those of nobody, also when the declaration was loaded since. */
  readonly isOfManifest: boolean;

  constructor(protocol: Protocol, settings: unknown, services: SharedServices, origin?: KindHost) {
    this.kind = protocol.kind;
    this.isOfManifest = protocol.load !== undefined;
    this.hasHome = keepsData(protocol);
    this.#protocol = protocol;
    this.contract = origin?.contract;
    this.services = services;
    this.enabled =
      origin?.enabled ??
      (protocol.load === undefined && !(isObject(settings) && settings['enabled'] === false));
    this.table = new MockTable(protocol, services.state, services.clock, (mock, message) =>
      dataRefusal(this, mock, message),
    );
    const log = services.log(protocol.kind);
    this.log = {
      ...log,
      error: (text, thrown) => {
        if (isLogged(thrown)) return;
        this.caught += 1;
        log.error(text, thrown);
      },
    };
    const { journal, clock, collections, remembers, keys, isReplica, sharedCounts, sharedChanges } = services;
    this.mocks = new MockStore(protocol, this.table, {
      journal,
      clock,
      collections,
      remembers,
      isReplica,
      sharedCounts,
      sharesChanges: sharedChanges !== undefined,
      keys,
      log: this.log,
      contract: () => this.contract,
      kindsWith: (field) => services.kindsWith(field),
      surroundings: () => new MockSurroundings(services),
    });
    this.brought = new BroughtMocks(this.mocks, this.log, () => this.hasHome && isReplica);
    this.counts = this.mocks.counts;
    this.kindCounter = journal.kindCounter(protocol.kind);
    this.faultHash = hashText(protocol.kind);
    this.calls = new Calls(this, this.mocks, services.journal);
    for (const [name, declaration] of Object.entries(protocol.itemLists ?? {})) {
      this.itemLists.set(name, new ItemStore(declaration, this.log));
    }
    this.#fault = services.faults.declare(protocol, this.#matchSurroundings());
    this.fault = protocol.fault === undefined ? undefined : faultOf(protocol.kind, services.faults);
    this.toxics = services.toxics.declare({ kind: this.kind, transport: protocol.meta.transport });
    const { config, problems, loadSteps } =
      origin === undefined ? readSettings(settings, this) : inheritSettings(origin, this.table);
    this.config = config;
    this.#countUpstream();
    this.captures = protocol.capture && createCaptures(protocol.capture, this.config);
    this.loadSteps = loadSteps;
    this.problems =
      problems.length > 0 ? problems : this.toxics.load(config.toxics, `/settings/${this.kind}/toxics`);
  }

  get protocol(): Protocol {
    return this.#protocol;
  }

  get compiledFault(): CompiledFault | undefined {
    return this.#fault.compiled;
  }

  get address(): ListenAddress | undefined {
    return this.giver === undefined ? this.#address : this.giver.address;
  }

  /** Says where it listens, unless it shares the listener of another kind. */
  set address(address: ListenAddress | undefined) {
    this.#address = address;
  }

  get url(): string | undefined {
    return this.address && urlOf(this.protocol.meta, this.address, this.#isEncryptedFirst(), this.config);
  }

  get urlVariable(): string {
    return urlVariableOf(this.kind, this.protocol.meta);
  }

  get beside(): readonly FurtherListener[] {
    return this.address === undefined ? [] : (this.service?.status?.().beside ?? []);
  }

  get variables(): Readonly<Record<string, string>> {
    const { address, url, beside } = this;
    if (address === undefined || url === undefined) return {};
    const further = beside.map((each) => listenerVariables(each.name, each.address, each.url));
    return Object.assign({}, ...further, variablesOf(this.kind, this.protocol.meta, address, url)) as Record<
      string,
      string
    >;
  }

  async load(): Promise<void> {
    const manifest = this.#protocol;
    if (manifest.load === undefined) return;
    const whole = await manifest.load();
    // Somebody else who asked at the same time was quicker, and may have set a fault since.
    if (this.#protocol !== manifest) return;
    this.#protocol = whole;
    this.#fault = this.services.faults.declare(whole, this.#matchSurroundings(whole.mocks.index?.()));
  }

  wake(): Promise<void> {
    return this.services.wake(this.kind);
  }

  /** Takes the mocks and items that the kind of another host had in a snapshot. */
  async inherit({ mocks, items }: SavedKind): Promise<void> {
    for (const [name, saved] of items) this.itemLists.get(name)?.restore(saved);
    await this.mocks.inherit(mocks);
  }

  /** What its service keeps, as it was when that was made. */
  get firstKept(): SavedParts {
    return this.#firstKept;
  }

  /** Puts back what the service before this one kept, as far as this one keeps the same. */
  takeOver(kept: SavedParts): void {
    this.snapshotParts.restore(kept, this.#firstKept);
  }

  /** Forgets the service, which has stopped. */
  leaveService(): void {
    this.following.endAll();
    this.service = undefined;
    this.failure = undefined;
    this.snapshotParts = new SnapshotParts();
  }

  /** Takes other settings, for the service that is made next. */
  reconfigure(
    { enabled, config, contract }: Pick<KindHost, 'enabled' | 'config' | 'contract'>,
    giver: KindHost | undefined,
  ): void {
    this.enabled = enabled;
    this.contract = contract;
    this.config = config;
    this.giver = giver;
    this.#countUpstream();
    if (enabled) this.#protocol.checkConfig?.(config, this.table.index);
  }

  /** Notes what its service keeps now, which has been made: snapshots from before put that back. */
  keepFirst(): void {
    this.#firstKept = this.snapshotParts.save();
    this.stored.made();
  }

  receive(message: Message): Exchange {
    return new Exchange(this, message);
  }

  get needsMatch(): boolean {
    const { mocks, recording } = this.protocol;
    if (mocks.quietWhenUnmatched !== true) return true;
    const { upstream } = this.config as { readonly upstream?: { readonly mode: string } };
    return recording?.refusesUnrecorded === true && upstream?.mode === 'replay';
  }

  missesOf(message: Message): readonly NearMiss[] {
    return this.needsMatch ? this.table.nearMisses(message) : NO_MISSES;
  }

  nextExchange(): number {
    this.#exchanges += 1;
    return this.#exchanges;
  }

  outcomes(): readonly OutcomeTally[] {
    return this.tally?.read(this.needsMatch) ?? [];
  }

  usedUp(): void {
    this.mocks.conditionsChanged();
  }

  status(): Json {
    const status = this.service?.status?.() ?? {};
    const { giver } = this;
    const failure = this.failure ?? status.error;
    const state = failure !== undefined ? 'failed' : this.address === undefined ? 'stopped' : 'running';
    const { transport, title } = this.protocol.meta;
    return {
      ...{ protocol: this.kind, title },
      enabled: this.enabled,
      state,
      host: this.address?.host ?? (giver ?? this).config.host,
      port: this.address?.port ?? (giver ?? this).config.port,
      ...(giver === undefined ? {} : { shares: giver.kind }),
      ...(this.url === undefined ? {} : { url: this.url }),
      transport,
      tls: this.#isEncrypted(status),
      mocks: this.mocks.size,
      connections: status.connections ?? 0,
      ...(this.captures === undefined ? {} : { messages: this.captures.size }),
      ...status.extra,
      ...this.#upstreamStatus(),
      ...(this.caught === 0 ? {} : { exceptions: this.caught }),
      ...(this.stalls === 0 ? {} : { stalls: this.stalls }),
      ...(failure === undefined ? {} : { error: failure }),
    };
  }

  /** Where the settings lead, and what became of the messages. */
  #upstreamStatus(): Json {
    const { upstream } = this.config;
    if (upstream === undefined) return {};
    const { url, mode } = upstream;
    return { upstream: { ...(url === undefined ? {} : { url }), mode, ...this.upstreamCounts } };
  }

  #countUpstream(): void {
    if (this.config.upstream !== undefined) this.upstreamCounts ??= new UpstreamCounts();
    else this.upstreamCounts = undefined;
  }

  explain(entry: unknown): Explanation {
    return runAtOnce(this.#explainSteps(entry));
  }

  async explainInSlices(entry: unknown, signal?: AbortSignal): Promise<Explanation> {
    for (;;) {
      const explained = await runInSlices(this.#explainSteps(entry), signal);
      const { mock_id: one, mock_ids: several = [] } = explained;
      // Other hosts may have used up what would answer: then it is looked again for the next one.
      if (!(await this.#learnUsedUp(one === undefined ? several : [one]))) return explained;
    }
  }

  /** Asks how often mocks have matched that several hosts count together. @returns whether one of them is used up, which was not known here */
  async #learnUsedUp(ids: readonly string[]): Promise<boolean> {
    const { sharedCounts, space } = this.services;
    if (sharedCounts === undefined) return false;
    const counted = this.table
      .values()
      .filter(({ id, shared, isUsedUp }) => shared !== undefined && !isUsedUp && ids.includes(id))
      .filter(({ limit }) => Number.isFinite(limit));
    let hasLearned = false;
    for (const { id, shared, limit } of counted) {
      if (shared === undefined) continue;
      const { since } = shared;
      try {
        const number = await sharedCounts.read({ space, kind: this.kind, id, since, limit });
        shared.note(number, since);
        hasLearned ||= number >= limit;
      } catch (thrown) {
        const reason = `how often the mock "${id}" has matched is not known: ${messageOf(thrown)}`;
        throw new BacklotError('unavailable', reason);
      }
    }
    return hasLearned;
  }

  #explainSteps(entry: unknown): Generator<undefined, Explanation> {
    return explainSteps(this.protocol, this.table, this.mocks, entry, this.compiledFault);
  }

  dryRun(mock: unknown, options: DryRunOptions = {}): Promise<DryRun> {
    const { protocol, table, mocks, kind, services } = this;
    return dryRun({ protocol, table, mocks, kind, journal: services.journal }, mock, options);
  }

  save(): SavedKind {
    return {
      mocks: this.mocks.save(),
      items: Array.from(this.itemLists, ([name, store]) => [name, store.save()] as const),
      captures: this.captures?.save(),
      kept: this.snapshotParts.save(),
      brought: this.brought.save(),
      exchanges: this.#exchanges,
    };
  }

  /** Puts what clients have stored, and what is captured, back to what it was at the start. */
  forgetStored(): void {
    this.stored.forget();
    this.brought.forget();
    this.snapshotParts.restore(this.#firstKept);
    this.captures?.clear();
    try {
      this.service?.reset?.();
    } catch (thrown) {
      this.log.error('what clients have stored is not forgotten', thrown);
    }
  }

  /** Puts a snapshot back; with `createdAt` as if its mocks were made at that time, and with what was prepared of it. */
  restore(saved: SavedKind, createdAt?: number, prepared?: PreparedKind): void {
    this.mocks.restore(saved.mocks, createdAt, prepared?.mocks);
    this.brought.restore(saved.brought);
    for (const [name, items] of saved.items) this.itemLists.get(name)?.restore(items);
    this.stored.forget();
    if (saved.captures !== undefined) this.captures?.restore(saved.captures);
    this.snapshotParts.restore(saved.kept, this.#firstKept, prepared?.kept);
    this.#exchanges = saved.exchanges;
    this.caught = this.stalls = 0;
  }

  /** Compiles the matching half of a mock, see {@link compileMatch}. */
  compileMatch(match: Json): MessageTest | { readonly problems: readonly Problem[] } {
    return compileMatch(this.protocol, match, this.#matchSurroundings());
  }

  /** What the match of a fault is compiled with, as mocks are. */
  #matchSurroundings(index = this.table.index): MatchSurroundings {
    const { services } = this;
    const { keys, clock, collections } = services;
    return { index, host: { keys, clock, collections, surroundings: () => new MockSurroundings(services) } };
  }

  /** Whether a connection begins with TLS, as the scheme of a url says; not where a client asks for it later. */
  #isEncryptedFirst(): boolean {
    if (this.giver !== undefined) return this.giver.#isEncryptedFirst();
    const status = this.service?.status?.();
    return this.#isEncrypted(status) && status?.upgrades !== true;
  }

  #isEncrypted(status = this.service?.status?.()): boolean {
    if (this.giver !== undefined) return this.giver.#isEncrypted();
    const { tls = false } = this.protocol.meta;
    return tls !== false && (status?.tls ?? false);
  }
}

/** The settings of a kind for a space: they were found valid when the host was made. */
function inheritSettings({ config, protocol }: KindHost, { index }: MockTable): Settings {
  if (config.enabled) protocol.checkConfig?.(config, index);
  return { config: spaceConfig(config, protocol.meta), problems: [], loadSteps: noSteps };
}

/** The mocks of a space are taken by {@link KindHost.inherit}. */
function* noSteps(): Generator<undefined, readonly Problem[]> {
  return [];
}

/** The fault of one kind, out of those of all kinds. */
function faultOf(kind: string, faults: FaultStore): KindFault {
  return {
    get: () => faults.get(kind),
    set: (fault) => faults.set(kind, fault),
    clear() {
      faults.clear(kind);
    },
    effective: () => faults.effective(kind),
  };
}
