import { timers } from '@backlot/kit';
import type { SecurityParameters } from './net-snmp.js';

const TIME_WINDOW = 150;

/** Our SNMP engine (RFC 3411 section 3.1.1): its name, and its time, by which clients know old messages. */
export class SnmpEngine {
  readonly id: Buffer;
  /**
   * The start of the process in seconds: it must grow with each start, and nothing is stored between two.
   */
  readonly boots: number;
  readonly #startedAt = timers.now();

  constructor(id: Buffer, now: number) {
    this.id = id;
    this.boots = Math.min(Math.max(Math.floor(now / 1000), 1), 2 ** 31 - 2);
  }

  /** Seconds since the start. */
  get time(): number {
    return Math.floor(this.uptime / 100);
  }

  /** Hundredths of a second since the start, as sysUpTime counts. */
  get uptime(): number {
    return Math.floor((timers.now() - this.#startedAt) / 10) % 2 ** 32;
  }

  /** What our messages carry. */
  get parameters(): SecurityParameters {
    return {
      msgAuthoritativeEngineID: this.id,
      msgAuthoritativeEngineBoots: this.boots,
      msgAuthoritativeEngineTime: this.time,
    };
  }

  /** RFC 3414 section 3.2, step 7a. */
  isInTimeWindow({
    msgAuthoritativeEngineBoots: boots,
    msgAuthoritativeEngineTime: time,
  }: SecurityParameters): boolean {
    return boots === this.boots && Math.abs(time - this.time) <= TIME_WINDOW;
  }
}
