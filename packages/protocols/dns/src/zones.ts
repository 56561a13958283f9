import type { Context } from '@backlot/core/plugin';
import { isTemplate } from './matcher.js';
import { DnsMessage } from './message.js';
import type { DnsShape } from './shape.js';
import { makeAnswerRecord, type AnswerRecord } from './wire/answer-record.js';
import { nextDot, parseName } from './wire/name.js';
import { RCODE } from './wire/rcodes.js';
import { TYPE } from './wire/types.js';

/** The zones that mocks describe: each SOA record begins one. */
export class Zones {
  readonly #mocks: Context<DnsShape>['mocks'];
  /** What negative answers carry, by the key of the zone; made when somebody asks. */
  #authorities: ReadonlyMap<string, AnswerRecord> | undefined;

  constructor(mocks: Context<DnsShape>['mocks']) {
    this.#mocks = mocks;
    mocks.onChange(() => {
      this.#authorities = undefined;
    });
  }

  /**
   * The SOA record of the nearest zone at or above the name of a question, which tells how long its absence may be kept
   * (RFC 2308, section 3).
   */
  authorityOf({ key, remote, transport }: DnsMessage): readonly AnswerRecord[] {
    const authorities = (this.#authorities ??= this.#collect());
    if (authorities.size === 0) return [];
    for (let zone: string | undefined = key; zone !== undefined; zone = parentOf(zone)) {
      const record = authorities.get(zone);
      if (record === undefined) continue;
      // A mock whose condition does not hold is as if absent.
      if (this.#mocks.matches(new DnsMessage(zone, zone, TYPE.SOA, remote, transport))) return [record];
    }
    return [];
  }

  #collect(): Map<string, AnswerRecord> {
    const found = new Map<string, AnswerRecord>();
    for (const { compiled } of this.#mocks.values()) {
      const { exact, type, rcode, ttl } = compiled;
      const [record] = compiled.records;
      if (exact === undefined || type !== TYPE.SOA || rcode !== RCODE.NOERROR || found.has(exact)) continue;
      if (record === undefined || isTemplate(record)) continue;
      const numbers = record.data.parts.at(-1);
      const minimum = Buffer.isBuffer(numbers) ? numbers.readUInt32BE(numbers.length - 4) : ttl;
      found.set(exact, makeAnswerRecord(record.data, Math.min(ttl, minimum), parseName(exact)));
    }
    return found;
  }
}

function parentOf(key: string): string | undefined {
  if (key === '.') return undefined;
  const dot = nextDot(key, 0);
  return dot < 0 ? '.' : key.slice(dot + 1);
}
