import type {
  Collection,
  ControlledClock,
  Host,
  HostOptions,
  Json,
  JournalCollection,
  Protocol,
  ScenarioCollection,
  StateCollection,
  StreamCollection,
  TypesOf,
  WebhookSender,
} from '@backlot/core';
import type { ServiceName, VariablesOf } from './service-variables.js';
import type { ProtocolHandle } from './protocol-handle.js';

/** A snapshot of a Backlot. */
export interface BacklotSnapshot {
  /**
   * Puts mocks, scenarios, faults, state, collections, counts and captures back to what they were. The journal and the time stay as
   * they are.
   */
  restore(): void;
  /** Deletes the snapshot; a Backlot holds at most 100. */
  remove(): void;
}

/** The members that every Backlot has beside its protocols. */
export interface BacklotMembers {
  readonly host: Host;
  readonly clock: ControlledClock;
  /** The seed of everything that is left to chance. */
  readonly seed: number;
  readonly state: StateCollection;
  /**
   * The rows of a collection, which mocks of all protocols read and change. `Row` is what the test knows of them;
   * nothing checks it.
   */
  collection<Row = Json>(name: string): Collection<Row>;
  readonly scenarios: ScenarioCollection;
  readonly streams: StreamCollection;
  /** The journal of all protocols. */
  readonly journal: JournalCollection;
  /** Undefined when the Backlot was not given `webhooks`. */
  readonly webhooks: WebhookSender | undefined;
  /**
   * The environment variables by which the code under test finds the protocols: `REDIS_URL`, `REDIS_HOST`, `REDIS_PORT`
   * and the like.
   */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Sets the variables of {@link env} in `process.env`, until the Backlot stops.
   *
   * @returns a function that puts back what was there before
   */
  applyEnv(): () => void;
  /** Puts everything back to what it was after the start. */
  reset(): void;
  /** Takes a snapshot. @param name - a name by which `host.snapshots` finds it as well */
  snapshot(name?: string): BacklotSnapshot;
  /** Stops all protocols, and puts `process.env` back. A second call does nothing more. */
  stop(): Promise<void>;
}

/** The protocols of a Backlot by the names of their kinds. */
export type ProtocolHandles<P extends readonly Protocol[]> = string extends P[number]['kind']
  ? unknown
  : { readonly [One in P[number] as One['kind']]: ProtocolHandle<TypesOf<One>> };

/** Running protocols, each under the name of its kind, with {@link BacklotMembers}. */
export type Backlot<
  P extends readonly Protocol[] = readonly Protocol[],
  S extends readonly ServiceName[] = readonly ServiceName[],
> = BacklotMembers & ProtocolHandles<P> & { readonly env: VariablesOf<S> };

/** What `startBacklot` takes. */
export interface BacklotOptions<
  P extends readonly Protocol[] = readonly Protocol[],
  S extends readonly ServiceName[] = readonly ServiceName[],
> extends Pick<
  HostOptions<P>,
  | 'settings'
  | 'scenarios'
  | 'reactions'
  | 'state'
  | 'collections'
  | 'vars'
  | 'keys'
  | 'logs'
  | 'functions'
  | 'host'
  | 'webhooks'
  | 'log'
> {
  /**
   * The protocols, which also give the Backlot its types. With {@link config} they may be left out, or name those that a
   * test uses: all that the file has a block for are started.
   */
  readonly protocols?: P;
  /**
   * A configuration file, read as the command `backlot start` reads it; a relative name starts from the current folder.
   * Every protocol listens on a free port, whatever the file says. Other options come before what the file says; settings
   * of one protocol are laid over those of the file, field by field. Needs the package `backlot`.
   */
  readonly config?: string;
  /**
   * Services that applications call, such as `stripe`, by name, or by the package or path of one of your own. Their variables
   * are in `backlot.env`, with types. Needs the packages `backlot` and `@backlot/services`.
   */
  readonly services?: S;
  /** The seed of everything that is left to chance; 1 when absent, so that every run is the same. */
  readonly seed?: number;
  /**
   * Whether the variables of `backlot.env` are set in `process.env` from the start to the stop. An object sets them
   * too, and some of them also under further names: `{ KAFKA: 'MY_BROKERS', REDIS_HOST: 'CACHE_HOST' }`, where `KAFKA`
   * stands for its url. A function gives further variables with any values:
   * `(backlot) => ({ PAYMENTS_URL: backlot.http.url })`.
   */
  readonly env?:
    | boolean
    | Readonly<Record<string, string>>
    | ((backlot: Backlot<P, S>) => Readonly<Record<string, string>>);
}
