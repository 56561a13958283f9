import { turns } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import { WildcardIndex, type WildcardSyntax } from '@backlot/kit/wildcards';

/** A message on its way to those who have subscribed. */
export interface Emitted {
  readonly topic: string;
  readonly payload?: Buffer | string;
  readonly qos?: number;
}

/** Takes a message, and says when it has. */
export type EmitListener = (message: Emitted, done: () => void) => void;

interface Emission {
  readonly message: Emitted;
  readonly done: (error?: Error) => void;
  /** Absent while it has not begun. */
  listeners: readonly EmitListener[] | undefined;
  /** Who gets it next. */
  next: number;
  /** How many have not said that they have it. */
  open: number;
}

/** Whose wildcards take a topic that begins with `$` is the affair of those who listen. */
const ANY_TOPIC: WildcardSyntax = { separator: '/', one: '+', many: '#', manyMatchesParent: true };

/** What is handed over until others are let in: each message counts one for each receiver, and so do so many bytes. */
const TURN = 512;
/**
 * What a receiver counts in addition when it gets the first message of a turn: it writes behind the turn, where no look
 * at the time sees it, once for all that it was given.
 */
const RECEIVER = 3;
/** What is handed over between two looks at the time: when the slice is used up, others are let in before. */
const LOOK = 16;
const BYTES = 16 * 1024;

/**
 * Hands messages on, in the form that `mqemitter` describes: to all who listen, message by message, in slices that let
 * others in. A message waits until those before it have been handed to everybody, since aedes takes one that is
 * overtaken for a repetition.
 */
export class Emitter {
  /** Of mqemitter's form: how many messages are under way, and how many may be (0: any number). */
  current = 0;
  readonly concurrent = 0;
  readonly #index = new WildcardIndex<EmitListener>(ANY_TOPIC);
  #waiting: Emission[] = [];
  #first = 0;
  /** What may be handed over until others are let in. */
  #left = TURN;
  /** What is left then when the time is looked at again. */
  #nextLook = TURN - LOOK;
  /** Who has been given something since others were let in. */
  readonly #reached = new Set<EmitListener>();
  /** Whether the rest is handed over when it is its turn. */
  #isYielding = false;
  #isRunning = false;
  #isClosed = false;
  #callbacks: (() => void)[] = [];

  /** How many listen. */
  get listeners(): number {
    return this.#index.size;
  }

  /** How many levels the filters have that are listened to. */
  get levels(): number {
    return this.#index.words;
  }

  on(filter: string, listener: EmitListener, done?: () => void): this {
    this.#index.add(filter, listener);
    if (done !== undefined) this.#later(done);
    return this;
  }

  removeListener(filter: string, listener: EmitListener, done?: () => void): this {
    this.#index.remove(filter, listener);
    this.#reached.delete(listener);
    if (done !== undefined) this.#later(done);
    return this;
  }

  emit(message: Emitted, done: (error?: Error) => void = () => undefined): this {
    if (this.#isClosed) {
      done(new Error('the broker has stopped'));
      return this;
    }
    const emission: Emission = { message, done, listeners: undefined, next: 0, open: 0 };
    this.current += 1;
    if (this.#isRunning || this.#isYielding || this.#first < this.#waiting.length) {
      this.#waiting.push(emission);
      return this;
    }
    this.#isRunning = true;
    try {
      // What receivers send meanwhile comes behind it.
      if (!this.#handOver(emission)) this.#waiting.splice(this.#first, 0, emission);
    } finally {
      this.#isRunning = false;
    }
    if (this.#first < this.#waiting.length) this.#run();
    return this;
  }

  close(done: () => void): this {
    this.#isClosed = true;
    this.#reached.clear();
    this.#waiting = [];
    this.#first = 0;
    this.#later(done);
    return this;
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (!this.#isYielding && this.#first < this.#waiting.length) {
        const emission = this.#waiting[this.#first];
        if (emission === undefined || this.#handOver(emission)) this.#shift();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** Says whether everybody has been given it. */
  #handOver(emission: Emission): boolean {
    const { message } = emission;
    const listeners = (emission.listeners ??= this.#begin(emission));
    const cost = 1 + Math.floor((message.payload?.length ?? 0) / BYTES);
    const ended = (): void => this.#ended(emission);
    while (emission.next < listeners.length && !this.#isYielding) {
      const listener = listeners[emission.next];
      emission.next += 1;
      if (listener === undefined) continue;
      this.#count(cost + (this.#reached.has(listener) ? 0 : RECEIVER));
      this.#reached.add(listener);
      listener(message, ended);
    }
    return emission.next === listeners.length;
  }

  #begin(emission: Emission): readonly EmitListener[] {
    const listeners = this.#index.match(emission.message.topic);
    emission.open = listeners.length;
    if (listeners.length === 0) this.#finish(emission);
    return listeners;
  }

  #ended(emission: Emission): void {
    emission.open -= 1;
    if (emission.open === 0) this.#finish(emission);
  }

  #finish({ done }: Emission): void {
    this.current -= 1;
    done();
  }

  #shift(): void {
    this.#first += 1;
    if (this.#first * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#first);
    this.#first = 0;
  }

  #count(cost: number): void {
    this.#left -= cost;
    if (this.#left > this.#nextLook) return;
    this.#nextLook = this.#left - LOOK;
    if (this.#left > 0 && !turns.areOver()) return;
    this.#isYielding = true;
    turns.wait(this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#isYielding = false;
    this.#left = TURN;
    this.#nextLook = TURN - LOOK;
    this.#reached.clear();
    this.#run();
  };

  /** As aedes expects it, an answer never comes within the call. */
  #later(callback: () => void): void {
    this.#callbacks.push(callback);
    if (this.#callbacks.length > 1) return;
    timers.afterTurn(() => {
      const callbacks = this.#callbacks;
      this.#callbacks = [];
      for (const each of callbacks) each();
    });
  }
}
