import type { ActiveToxic, Random } from '@backlot/core/plugin';
import { alter } from './alter.js';

/** A toxic as it acts on one connection: its chance, and what it has counted. */
export interface ToxicState {
  readonly toxic: ActiveToxic;
  readonly random: Random;
  /** Bytes that have passed since it acts. */
  passed: number;
}

/** Bytes of which a limited bandwidth lets a part pass at one time, in parts of a second. */
const QUANTA = 20;

/** What is done to the bytes of one direction of a connection: all toxics that act on it together. */
export class LaneRules {
  readonly #states: readonly ToxicState[];
  /** Whether nothing is let through. */
  readonly drops: boolean;
  /** Milliseconds by which the end of the side is delayed. */
  readonly closeDelay: number;
  /** Bytes a millisecond; Infinity is no limit. */
  readonly #rate: number;

  constructor(states: readonly ToxicState[]) {
    this.#states = states;
    const of = (type: string, attribute: string): number[] =>
      states.flatMap(({ toxic }) => (toxic.type === type ? (toxic.attributes[attribute] ?? 0) : []));
    this.drops = states.some(({ toxic }) => toxic.type === 'timeout');
    this.closeDelay = of('slow_close', 'delay').reduce((sum, each) => sum + each, 0);
    // Kilobytes of 1000 bytes a second are bytes a millisecond.
    this.#rate = Math.min(Infinity, ...of('bandwidth', 'rate').filter((rate) => rate > 0));
  }

  /** Whether nothing is done to the bytes. */
  get isEmpty(): boolean {
    return this.#states.length === 0;
  }

  /** How long bytes that come now are delayed, in milliseconds. */
  delay(): number {
    let delay = 0;
    for (const { toxic, random } of this.#states) {
      if (toxic.type !== 'latency') continue;
      const { latency = 0, jitter = 0 } = toxic.attributes;
      delay += Math.max(0, latency + (jitter === 0 ? 0 : random.float(-jitter, jitter)));
    }
    return delay;
  }

  /** The bytes as they go on: altered, perhaps. */
  alter(chunk: Buffer): Buffer {
    let altered = chunk;
    for (const { toxic, random } of this.#states) {
      if (toxic.type !== 'corrupt') continue;
      const { bytes = 1, chance = 1 } = toxic.attributes;
      if (random.next() < chance) altered = alter(altered, bytes, random);
    }
    return altered;
  }

  /** How many of so many bytes may still pass before the connection is closed. Those that pass are counted. */
  admit(length: number): number {
    let admitted = length;
    for (const { toxic, passed } of this.#states)
      if (toxic.type === 'limit_data')
        admitted = Math.min(admitted, (toxic.attributes['bytes'] ?? 0) - passed);
    for (const state of this.#states) state.passed += admitted;
    return admitted;
  }

  /** How many of so many bytes go on together. */
  piece(length: number): number {
    let piece = Math.min(length, Math.max(1, Math.floor((this.#rate * 1000) / QUANTA)));
    for (const { toxic, random } of this.#states) {
      if (toxic.type !== 'slicer') continue;
      const { average_size: average = 1, size_variation: variation = 0 } = toxic.attributes;
      piece = Math.min(piece, Math.max(1, random.int(average - variation, average + variation)));
    }
    return piece;
  }

  /** How long the next bytes wait after so many have gone on, in milliseconds. */
  cost(bytes: number): number {
    let cost = bytes / this.#rate;
    for (const { toxic } of this.#states)
      if (toxic.type === 'slicer') cost += (toxic.attributes['delay'] ?? 0) / 1000;
    return cost;
  }
}

/** Rules that do nothing. */
export const NO_RULES = new LaneRules([]);
