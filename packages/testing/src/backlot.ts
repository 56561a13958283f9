import type {
  ControlledClock,
  Host,
  HostOptions,
  JournalCollection,
  Protocol,
  ScenarioCollection,
  StateCollection,
  StreamCollection,
  TypesOf,
  WebhookSender,
} from '@backlot/core';
import type { ProtocolHandle } from './protocol-handle.js';

/** What a snapshot holds can be put back. */
export interface BacklotSnapshot {
  /** Mocks, scenarios, faults, state, counts and captures as they were; the journal and the time stay as they are. */
  restore(): void;
  /** Forgets the snapshot; a Backlot holds 100 at most. */
  remove(): void;
}

/** What every Backlot has beside its protocols. */
export interface BacklotMembers {
  readonly host: Host;
  readonly clock: ControlledClock;
  /** The seed of everything that is left to chance. */
  readonly seed: number;
  readonly state: StateCollection;
  readonly scenarios: ScenarioCollection;
  readonly streams: StreamCollection;
  /** The journal of all protocols. */
  readonly journal: JournalCollection;
  /** Undefined when the Backlot was not given `webhooks`. */
  readonly webhooks: WebhookSender | undefined;
  /**
   * The environment variables by which the code under test finds the protocols: `REDIS_URL`, `REDIS_HOST`, `REDIS_PORT` and
   * the like.
   */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Sets the variables of {@link env} in `process.env`, until the Backlot stops.
   *
   * @returns a function that puts back what was there before
   */
  applyEnv(): () => void;
  /** Everything back to what it was after the start. */
  reset(): void;
  /** @param name - for `host.snapshots`, which finds it by its name too */
  snapshot(name?: string): BacklotSnapshot;
  /** Stops everything, and puts the environment back. Safe to call twice. */
  stop(): Promise<void>;
}

/** The protocols of a Backlot by the names of their kinds. */
export type ProtocolHandles<P extends readonly Protocol[]> = string extends P[number]['kind']
  ? unknown
  : { readonly [One in P[number] as One['kind']]: ProtocolHandle<TypesOf<One>> };

/** Running protocols with all that a test asks of them. */
export type Backlot<P extends readonly Protocol[] = readonly Protocol[]> = BacklotMembers &
  ProtocolHandles<P>;

/** What `startBacklot` takes. */
export interface BacklotOptions<P extends readonly Protocol[] = readonly Protocol[]> extends Pick<
  HostOptions<P>,
  'protocols' | 'settings' | 'scenarios' | 'state' | 'vars' | 'logs' | 'host' | 'webhooks' | 'log'
> {
  /** The seed of everything that is left to chance; 1 when absent, so that every run is the same. */
  readonly seed?: number;
  /**
   * `true` sets the variables of `backlot.env` in `process.env` from the start to the stop. An object does so too, and gives some
   * of them further names: `{ KAFKA: 'MY_BROKERS', REDIS_HOST: 'CACHE_HOST' }`, where `KAFKA` stands for its url. A function
   * names further ones with any value: `(backlot) => ({ PAYMENTS_URL: backlot.http.url })`.
   */
  readonly env?:
    boolean | Readonly<Record<string, string>> | ((backlot: Backlot<P>) => Readonly<Record<string, string>>);
}
