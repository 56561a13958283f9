import type { Socket } from 'node:net';
import { batch, SLICE, STALL, turns } from '@backlot/core/plugin';
import type { ConnectionState } from './connection-state.js';
import { isPromise } from './thrown.js';
import { timers } from './timers.js';

/** What comes so soon, in ms, behind what was handled before comes in the same turn of the event loop. */
const SAME_TURN = 1;

/** The connection whose bytes are read. */
export interface ReadingOwner {
  /** An answer is being made; each call is followed by one of `idle`. */
  busy(): void;
  idle(): void;
}

/** What reading needs of the inside of its connection. */
export interface ReadingCalls {
  /** Calls a callback, isolated. */
  run(fn: () => unknown): void;
  /** Told what handling a chunk has thrown. */
  fail(error: unknown): void;
  /** Reading has gone on: the time to end what the client has ended. */
  endWhenDone(): void;
  /** Handling something, begun at that time by {@link Timers.now}, has held the event loop for too long. */
  stalled(began: number): void;
}

/**
 * Reads the bytes of one connection: whether it is paused and why, and how long the connection may handle what came
 * before others are let in.
 */
export class ConnectionReading {
  readonly #state: ConnectionState;
  readonly #owner: ReadingOwner;
  readonly #calls: ReadingCalls;
  #onData: ((chunk: Buffer) => unknown) | undefined;
  #onResume: (() => unknown)[] = [];
  #isHeld = false;
  #isChoked = false;
  #isUpgrading = false;
  #isYielding = false;
  /** What came when a turn had lasted too long: handled when it is this connection's turn. */
  #late: Buffer | undefined;
  /** When handling this connection's bytes has lasted a slice, by {@link Timers.now}. */
  #sliceEnd = 0;
  /** When something was handled last. */
  #handledAt = 0;

  constructor(state: ConnectionState, owner: ReadingOwner, calls: ReadingCalls) {
    this.#state = state;
    this.#owner = owner;
    this.#calls = calls;
  }

  get isPaused(): boolean {
    return this.#isHeld || this.#isChoked || this.#isUpgrading || this.#isYielding;
  }

  /** Whether it is paused because answers wait to be sent. */
  get isChoked(): boolean {
    return this.#isChoked;
  }

  /** Whether something has come that waits to be handled. */
  get isLate(): boolean {
    return this.#late !== undefined;
  }

  /** Starts reading, or replaces the listener. */
  listen(listener: (chunk: Buffer) => unknown): void {
    if (this.#state.isEnded) return;
    const isFirst = this.#onData === undefined;
    this.#onData = listener;
    if (isFirst) this.#state.socket.on('data', this.#receive);
  }

  /** Calls back each time reading goes on after it was paused. */
  onResume(listener: () => unknown): void {
    this.#onResume.push(listener);
  }

  /** Pauses until {@link release}. */
  hold(): void {
    this.#isHeld = true;
    this.#flow();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#goOn();
  }

  /** Pauses until what waits to be sent has left. */
  choke(): void {
    this.#isChoked = true;
    this.#flow();
  }

  /** See {@link Connection.yieldWhenLong}. */
  yieldWhenLong(hasMore: boolean): boolean {
    if (this.#isYielding) return true;
    const now = timers.now();
    if (now < this.#sliceEnd && !(hasMore && turns.areOver(now))) return false;
    if (this.#state.isClosed) return false;
    this.#yield();
    return true;
  }

  /** Reads nothing from the socket while TLS begins on it; {@link upgraded} goes on. */
  upgrade(socket: Socket): void {
    this.leave(socket);
    socket.pause();
    this.#isUpgrading = true;
  }

  /** The connection has another socket now, from which {@link start} reads. */
  upgraded(): void {
    this.#isChoked = false;
    this.#isUpgrading = false;
  }

  /** Reads from the new socket. */
  start(socket: Socket): void {
    if (this.#onData !== undefined) socket.on('data', this.#receive);
    this.#flow();
  }

  /** Notices when a socket has sent what waited. */
  watch(socket: Socket): void {
    socket.on('drain', this.#drained);
  }

  /** Reads nothing from a socket any more. */
  leave(socket: Socket): void {
    socket.off('data', this.#receive).off('drain', this.#drained);
  }

  /** Forgets who listens, and reads nothing before {@link goOn}: somebody else serves the client from now on. */
  startOver(): void {
    const { socket } = this.#state;
    socket.off('data', this.#receive).pause();
    if (this.#late !== undefined) socket.unshift(this.#late);
    this.#late = undefined;
    this.#onData = undefined;
    this.#onResume = [];
    this.#isHeld = false;
  }

  /** Reads on, unless whoever listens now has paused it. */
  goOn(): void {
    const { socket, isEnded, isHandedOver } = this.#state;
    if (!this.isPaused && !isEnded && !isHandedOver) socket.resume();
  }

  /** Reads what still comes, and throws it away. */
  discard(): void {
    const { socket } = this.#state;
    socket.off('data', this.#receive).on('data', ignoreData);
    socket.resume();
  }

  /** Reports when what began at a time has held the event loop for too long. */
  readonly endTurn = (began: number, ended = timers.now()): void => {
    if (ended - began > STALL) this.#calls.stalled(began);
  };

  #yield(): void {
    this.#isYielding = true;
    // A client that has ended its side still gets the answers to what it has sent.
    this.#owner.busy();
    this.#flow();
    turns.wait(this.#yielded);
  }

  readonly #receive = (chunk: Buffer): void => {
    const listener = this.#onData;
    if (listener === undefined) return;
    const began = timers.now();
    if (this.#late !== undefined) this.#late = Buffer.concat([this.#late, chunk]);
    else if (!this.#isYielding && turns.isLate(began)) {
      this.#late = chunk;
      this.#yield();
    } else this.#handle(listener, chunk, began);
  };

  #handle(listener: (chunk: Buffer) => unknown, chunk: Buffer, began: number): void {
    const { outbox } = this.#state;
    outbox.beginTurn();
    this.#beginSlice(began, false);
    batch.begin(began);
    try {
      const result = listener(chunk);
      if (isPromise(result)) result.then(undefined, (error: unknown) => this.#calls.fail(error));
    } catch (error) {
      this.#calls.fail(error);
    }
    batch.end();
    outbox.endTurn();
    this.#handledAt = timers.now();
    this.endTurn(began, this.#handledAt);
  }

  /** Up to 32 chunks are received in one turn, and much may be sent, and drained, in one: all that shares a slice. */
  #beginSlice(now: number, isNewTurn: boolean): void {
    if (isNewTurn) this.#sliceEnd = turns.sliceEnd();
    else if (now - this.#handledAt > SAME_TURN) this.#sliceEnd = now + SLICE;
  }

  #flow(): void {
    const { socket, isHandedOver, isEnded } = this.#state;
    if (this.#onData === undefined || isHandedOver || isEnded) return;
    if (this.isPaused) socket.pause();
    else socket.resume();
  }

  readonly #drained = (): void => {
    if (!this.#isChoked) return;
    this.#isChoked = false;
    this.#goOn();
  };

  readonly #yielded = (): void => {
    this.#isYielding = false;
    if (this.#state.isClosed) return;
    const late = this.#late;
    if (late !== undefined && !this.#state.isEnded && this.#onData !== undefined) {
      this.#late = undefined;
      this.#handle(this.#onData, late, timers.now());
    }
    this.#goOn(true);
    this.#owner.idle();
  };

  #goOn(isNewTurn = false): void {
    if (this.isPaused) return;
    const { outbox } = this.#state;
    const begins = outbox.beginTurn();
    const began = timers.now();
    if (begins) {
      this.#beginSlice(began, isNewTurn);
      batch.begin(began);
    }
    for (const listener of this.#onResume) this.#calls.run(listener);
    if (begins) {
      batch.end();
      outbox.endTurn();
      this.#handledAt = timers.now();
      this.endTurn(began, this.#handledAt);
    }
    this.#flow();
    this.#calls.endWhenDone();
  }
}

function ignoreData(): void {
  // What a client sends after the end is read only so that it can be thrown away.
}
