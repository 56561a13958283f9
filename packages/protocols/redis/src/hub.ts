import type { Clock, Log, Random } from '@backlot/core/plugin';
import { Store } from './data/store.js';
import { Waiters } from './data/waiters.js';
import { PubSub } from './pub-sub.js';
import type { Session } from './session.js';
import type { Settings } from './settings.js';

/** What the host gives for it. */
interface HubContext {
  readonly clock: Clock;
  readonly log: Log;
  random(...parts: (string | number)[]): Random;
  newId(): string;
}

/** What all connections share. */
export class Hub {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly waiters: Waiters;
  readonly pubSub = new PubSub();
  readonly sessions = new Map<number, Session>();
  /** 40 hexadecimal digits, as INFO shows them. */
  readonly runId: string;
  readonly startedAt: number;
  /** The port, once it is known. */
  port = 0;
  /** How many connections there have been. */
  connections = 0;
  /** How many requests were taken. */
  requests = 0;
  readonly #log: Log;

  constructor(context: HubContext, settings: Settings) {
    this.settings = settings;
    this.clock = context.clock;
    this.random = context.random('commands');
    this.store = new Store(context.clock);
    this.waiters = new Waiters(this.store, context.clock);
    this.runId = (context.newId() + context.newId())
      .replaceAll(/[^0-9a-f]/g, '')
      .padEnd(40, '0')
      .slice(0, 40);
    this.startedAt = context.clock.now();
    this.#log = context.log;
  }

  /** Tells the person who runs the server. */
  warn(text: string): void {
    this.#log.warn(text);
  }
}
