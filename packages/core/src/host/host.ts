import type { TypesOf } from '../contract/given.js';
import type { Host, HostOptions } from '../contract/host.js';
import type { Kind } from '../contract/kind.js';
import type { Protocol } from '../contract/protocol.js';
import type { WebhookSender } from '../contract/webhook.js';
import { BacklotError, isBacklotError, messageOf, type Problem } from '../errors.js';
import { FaultStore } from '../faults/fault-store.js';
import { Journal } from '../journal/journal.js';
import { freshSeed } from '../random/random.js';
import { ScenarioStore, type SavedScenarios } from '../scenarios/scenario-store.js';
import { StateStore, type SavedState } from '../stores/state-store.js';
import { StreamStore } from '../stores/stream-store.js';
import { realElapsed } from '../time/clock-real.js';
import { stalls } from '../time/clock-stalls.js';
import { VirtualClock } from '../time/clock-virtual.js';
import { pointTo } from '../validation/pointer.js';
import { createValidator } from '../validation/validator.js';
import { KindHost, type SavedKind, type SharedServices } from './kind-host.js';
import { makeContext } from './make-context.js';
import { StallLog } from './stall-log.js';
import { SnapshotStore } from './snapshot-store.js';
import { namePlugin, startKinds } from './start-kinds.js';

const DEFAULT_GRACE = 2_000;
/** Names of `seq`, which templates may make of what messages hold. */
const MAX_SEQUENCES = 100_000;

/** Everything that reset and snapshots put back. */
interface Saved {
  readonly kinds: readonly SavedKind[];
  readonly scenarios: SavedScenarios;
  readonly faults: ReturnType<FaultStore['save']>;
  readonly state: SavedState;
  readonly sequences: readonly (readonly [string, number])[];
}

/** A set of protocols with the services they share. */
export class BacklotHost implements Host {
  readonly version: string;
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly kinds: readonly KindHost[];
  readonly faults = new FaultStore();
  readonly scenarios: ScenarioStore;
  readonly state: StateStore;
  readonly streams: StreamStore;
  readonly journal: Journal;
  readonly webhooks: WebhookSender | undefined;
  readonly snapshots: SnapshotStore<Saved>;
  /** What is wrong with the settings; a host with problems must not be started. */
  readonly problems: readonly Problem[];
  readonly #options: HostOptions;
  readonly #byKind: ReadonlyMap<string, KindHost>;
  readonly #services: SharedServices;
  readonly #sequences = new Map<string, number>();
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
    this.streams = new StreamStore(this.clock);
    this.journal = new Journal(options.logs?.max_entries, options.logs?.max_bytes);
    this.webhooks = options.webhooks?.({ clock: this.clock, log: logOf('webhooks') });
    const services = this.#makeServices(logOf, remembers);
    this.#services = services;
    const problems: Problem[] = [...this.#checkKinds()];
    try {
      this.state.setAll(options.state ?? {});
    } catch (thrown) {
      const details = isBacklotError(thrown) ? thrown.details : undefined;
      problems.push(
        ...(details ?? [{ path: '', message: messageOf(thrown) }]).map((problem) => ({
          ...problem,
          path: `/state${problem.path}`,
        })),
      );
    }
    const settings = options.settings ?? {};
    this.kinds = options.protocols.map(
      (protocol) =>
        new KindHost(
          protocol,
          Object.hasOwn(settings, protocol.kind) ? (settings[protocol.kind] ?? {}) : {},
          services,
        ),
    );
    this.#byKind = new Map(this.kinds.map((kind) => [kind.kind, kind]));
    for (const { kind, protocol } of this.kinds) {
      if (protocol.streams !== undefined) this.streams.declare(kind, createValidator(protocol.streams.data));
    }
    problems.push(...this.kinds.flatMap((kind) => kind.problems));
    this.scenarios = new ScenarioStore(
      new Map(this.kinds.map((kind) => [kind.kind, kind.mocks])),
      this.faults,
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

  async start(): Promise<void> {
    if (this.#startup !== undefined) throw new BacklotError('conflict', 'the host was started before');
    const enabled = this.kinds.filter((kind) => kind.enabled);
    try {
      for (const kind of enabled) await this.#create(kind);
      this.#startup = this.#save();
      await startKinds(enabled);
    } catch (thrown) {
      await this.stop(0);
      throw thrown;
    }
    this.#startedAt = realElapsed();
    this.#watchStalls();
  }

  /** Somebody must read the log, and have asked for it: the watch looks ten times a second. */
  #watchStalls(): void {
    const { log, watchEventLoop = false } = this.#options;
    if (log === undefined || !watchEventLoop || this.#stopping !== undefined) return;
    const stallLog = new StallLog(this.kinds, (text) => log({ level: 'warn', kind: 'backlot', text }));
    this.#unwatch = stalls.listen((stall) => stallLog.take(stall, this.#services.latest));
  }

  async #create(kind: KindHost): Promise<void> {
    const context = makeContext(kind, this.streams, (other) => {
      const found = this.#byKind.get(other);
      return found?.enabled === true ? found.captures : undefined;
    });
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
    this.#services.epoch += 1;
    this.clock.reset();
    if (this.#startup !== undefined) this.#restoreData(this.#startup, this.clock.now());
    this.journal.clear();
    this.#endWhatIsUnderWay();
    this.webhooks?.reset();
  }

  async #stop(grace: number): Promise<void> {
    this.#unwatch?.();
    for (const kind of this.kinds) kind.calls.cancelWaits();
    this.streams.closeAll();
    const services = this.kinds.flatMap((kind) =>
      kind.service === undefined ? [] : [{ kind, service: kind.service }],
    );
    await Promise.all(
      services.map(async ({ kind, service }) => {
        try {
          await service.stop(grace);
        } catch (thrown) {
          kind.log.error('could not stop', thrown);
        }
        kind.address = undefined;
      }),
    );
    await this.webhooks?.stop();
    this.clock.stop();
  }

  #makeServices(log: SharedServices['log'], remembers: boolean): SharedServices {
    return {
      clock: this.clock,
      seed: this.seed,
      state: this.state,
      journal: this.journal,
      vars: structuredClone(this.#options.vars ?? {}),
      webhooks: this.webhooks,
      faults: this.faults,
      defaultHost: this.#options.host ?? 'localhost',
      takesDefaultPorts: this.#options.ports === 'default',
      remembers,
      log,
      epoch: 0,
      latest: undefined,
      nextInSequence: (name) => {
        const next = (this.#sequences.get(name) ?? 0) + 1;
        if (next === 1 && this.#sequences.size >= MAX_SEQUENCES) {
          throw new BacklotError(
            'too_large',
            `there are ${MAX_SEQUENCES} counters of "seq" already; use fewer names`,
          );
        }
        this.#sequences.set(name, next);
        return next;
      },
    };
  }

  #checkKinds(): Problem[] {
    const installed = new Set(this.#options.protocols.map((protocol) => protocol.kind));
    if (installed.size !== this.#options.protocols.length) {
      return [{ path: '/protocols', message: 'the same protocol is given twice' }];
    }
    return Object.keys(this.#options.settings ?? {})
      .filter((kind) => !installed.has(kind))
      .map((kind) => ({
        path: pointTo('/settings', kind),
        message: `the protocol "${kind}" is not given to this host, which has ${[...installed].join(', ') || 'none'}; install its package and add it to them`,
      }));
  }

  #save(): Saved {
    return {
      kinds: this.kinds.map((kind) => kind.save()),
      scenarios: this.scenarios.save(),
      faults: this.faults.save(),
      state: this.state.save(),
      sequences: [...this.#sequences],
    };
  }

  /** A snapshot: like a reset, but the journal, webhooks and time stay as they are. */
  #restore(saved: Saved): void {
    this.#services.epoch += 1;
    this.#restoreData(saved);
    this.#endWhatIsUnderWay();
  }

  #restoreData(saved: Saved, createdAt?: number): void {
    this.#sequences.clear();
    for (const [name, count] of saved.sequences) this.#sequences.set(name, count);
    this.state.restore(saved.state);
    // The mocks take the patches of the active scenarios when they are restored.
    this.faults.restore(saved.faults);
    this.scenarios.restore(saved.scenarios);
    this.kinds.forEach((kind, index) => {
      const savedKind = saved.kinds[index];
      if (savedKind !== undefined) kind.restore(savedKind, createdAt);
    });
  }

  #endWhatIsUnderWay(): void {
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
