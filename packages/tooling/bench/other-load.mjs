import { readFileSync } from 'node:fs';
import { TICK, ticksOf } from './process-time.mjs';

/** So much of one processor may go to something else; beyond it a measurement is made again. */
const QUIET = 0.15;
/** How often one is made again at most: on a machine that is never quiet, the last one counts. */
const TRIES = 3;

/**
 * Watches how much of the machine goes to something that is neither a server nor a load, and has what was measured beside too much of it
 * measured again. Where the system does not tell (it does on Linux), nothing is.
 */
export class OtherLoad {
  /** @type {number[]} */
  #shares = [];
  #again = 0;
  /** @type {readonly number[] | undefined} */
  #servers;

  /** @param {readonly number[] | undefined} servers - ids of processes that are no other load; undefined where some are not known: then nothing is watched */
  constructor(servers) {
    this.#servers = servers;
  }

  /**
   * Measures, and again where too much else went on.
   *
   * @template T
   * @param {() => Promise<T>} measure
   * @returns {Promise<T>}
   */
  async beside(measure) {
    for (let tries = 1; ; tries += 1) {
      const before = this.#look();
      const result = await measure();
      const after = this.#look();
      if (before === undefined || after === undefined) return result;
      const share = Math.max(0, after.others - before.others) / (after.moment - before.moment);
      if (share > QUIET && tries < TRIES) {
        this.#again += 1;
        continue;
      }
      this.#shares.push(share);
      return result;
    }
  }

  /** What is to be said of it, in a line; undefined where nothing is known. */
  get summary() {
    const shares = this.#shares.toSorted((a, b) => a - b);
    if (shares.length === 0) return undefined;
    const [middle = 0, most = 0] = [shares[Math.floor(shares.length / 2)], shares.at(-1)];
    const again = this.#again === 0 ? '' : `; ${this.#again} measurements were made again`;
    return `Something else took ${middle.toFixed(2)} of a processor in the middle, and ${most.toFixed(2)} at most${again}.`;
  }

  /** The milliseconds of processor time that all others have had until now. */
  #look() {
    if (this.#servers === undefined) return undefined;
    try {
      const all = ticksOfAll(readFileSync('/proc/stat', 'utf8'));
      let own = ticksOf('self', true);
      for (const pid of this.#servers) own += ticksOf(pid);
      return { moment: performance.now(), others: (all - own) * TICK };
    } catch {
      return undefined;
    }
  }
}

/** Of all processors, without the time in which they had nothing to do. @param {string} text */
function ticksOfAll(text) {
  const [, user, nice, system, , , interrupts, soft] = (text.split('\n', 1)[0] ?? '')
    .split(/\s+/)
    .map(Number);
  return (user ?? 0) + (nice ?? 0) + (system ?? 0) + (interrupts ?? 0) + (soft ?? 0);
}
