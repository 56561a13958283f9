import type { Clock } from '@backlot/core/plugin';
import type { Database } from './data/database.js';
import type { KeyListener, Store } from './data/store.js';
import { ExpiryAlarm } from './expiry-alarm.js';
import { eventsOf, type NamedEvent } from './key-event-names.js';
import type { PubSub } from './pub-sub.js';

const CLASSES = 'KEg$lshzxetd';
const ALL = 'g$lshzxetd';

interface KeyEvent {
  readonly database: number;
  readonly key: string;
  readonly name: string;
}

/**
 * The events of keys that `notify-keyspace-events` asks for (redis.io, "Redis keyspace notifications"), published behind the
 * command that brings them. While it asks for none, nobody is told of keys and nothing is kept.
 */
export class KeyEvents implements KeyListener {
  readonly #store: Store;
  readonly #pubSub: PubSub;
  readonly #alarm: ExpiryAlarm;
  #flags = '';
  #command = '';
  #args: readonly string[] = [];
  #events: KeyEvent[] = [];
  /** The key that is being removed because it has expired. */
  #expired: string | undefined;
  /** The key for which the command has set when it expires. */
  #timed: string | undefined;

  /** @param sweep - removes what has expired, and publishes what comes of it */
  constructor(store: Store, clock: Clock, pubSub: PubSub, sweep: () => void) {
    this.#store = store;
    this.#pubSub = pubSub;
    this.#alarm = new ExpiryAlarm(store, clock, sweep);
  }

  /** The setting, as CONFIG GET shows it. */
  get flags(): string {
    const isAll = [...ALL].every((letter) => this.#flags.includes(letter));
    const types = [...ALL].filter((letter) => this.#flags.includes(letter)).join('');
    return `${isAll ? 'A' : types}${[...'KE'].filter((letter) => this.#flags.includes(letter)).join('')}`;
  }

  /** Whether events wait to be published. */
  get hasPending(): boolean {
    return this.#events.length > 0;
  }

  /** Takes a new setting; `false` when it is none. */
  configure(flags: string): boolean {
    const letters = flags.replaceAll('A', ALL);
    if ([...letters].some((letter) => !CLASSES.includes(letter))) return false;
    const isOn = /[KE]/.test(letters) && /[^KE]/.test(letters);
    this.#flags = letters;
    this.#store.listener = isOn ? this : undefined;
    this.#arm();
    return true;
  }

  /** A command is about to be carried out. */
  begin(command: string, args: readonly string[]): void {
    this.#command = command;
    this.#args = args;
    this.#timed = undefined;
  }

  changed(database: Database, key: string): void {
    if (this.#expired === key) {
      this.#expired = undefined;
      return;
    }
    const isTimed = this.#timed === key;
    for (const event of eventsOf(this.#command, this.#args, key, !database.holds(key), isTimed))
      this.#add(event, database, key);
  }

  expires(database: Database, key: string): void {
    this.#expired = key;
    this.#add(['x', 'expired'], database, key);
  }

  fieldsExpired(database: Database, key: string, isGone: boolean): void {
    this.#expired = key;
    this.#add(['h', 'hexpired'], database, key);
    if (isGone) this.#add(['g', 'del'], database, key);
  }

  timed(database: Database, key: string, expireAt: number): void {
    this.#timed = expireAt > 0 ? key : undefined;
    if (this.#command === 'persist' || (this.#command === 'getex' && expireAt === 0))
      this.#add(['g', 'persist'], database, key);
    else if (/^p?expire(?:at)?$|^getex$/.test(this.#command)) this.#add(['g', 'expire'], database, key);
    this.#arm();
  }

  /** Publishes what waits, step by step. */
  *publish(): Generator<undefined, void> {
    while (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      for (const { database, key, name } of events) {
        if (this.#flags.includes('K'))
          yield* this.#pubSub.publish('channel', `__keyspace@${database}__:${key}`, name);
        if (this.#flags.includes('E'))
          yield* this.#pubSub.publish('channel', `__keyevent@${database}__:${name}`, key);
        yield;
      }
    }
    this.#arm();
  }

  /** Watches for the next key that expires, where somebody wants to know of it. */
  #arm(): void {
    this.#alarm.set(this.#store.listener === this && /[xh]/.test(this.#flags));
  }

  #add([type, name]: NamedEvent, database: Database, key: string): void {
    if (this.#flags.includes(type)) this.#events.push({ database: database.index, key, name });
  }
}
