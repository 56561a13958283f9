import type { Context } from '@backlot/core/plugin';
import { isTemplate } from './matcher.js';
import { DnsMessage } from './message.js';
import type { DnsShape } from './shape.js';
import { makeAnswerRecord, type AnswerRecord } from './wire/answer-record.js';
import { nextDot, parseName } from './wire/name.js';
import { RCODE } from './wire/rcodes.js';
import { TYPE } from './wire/types.js';
import { minimumOf } from './zone/read-records.js';
import type { Found } from './zone/zone.js';

/** The zones: those that mocks describe, where each SOA record begins one, and those of zone files. */
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
    const { zones: files } = this.#mocks.index;
    if (authorities.size === 0 && files === undefined) return [];
    for (let zone: string | undefined = key; zone !== undefined; zone = parentOf(zone)) {
      const record = authorities.get(zone);
      // A mock whose condition does not hold is as if absent.
      if (
        record !== undefined &&
        this.#mocks.matches(new DnsMessage(zone, zone, TYPE.SOA, remote, transport))
      )
        return [record];
      const file = files?.at(zone);
      if (file !== undefined) return [file.authority];
    }
    return [];
  }

  /** What the zone files say to a question that no mock answers; undefined for names in none of their zones. */
  find(message: DnsMessage): Found | undefined {
    const { index } = this.#mocks;
    const found = index.zones?.find(message.key, message.type, (key) => index.hasName(key));
    // What a mock has for another type exists, whatever the zone knows of it.
    return found?.rcode === RCODE.NXDOMAIN && this.knowsName(message)
      ? { rcode: RCODE.NOERROR, records: [] }
      : found;
  }

  /** Whether there are mocks for the name, of whatever type, or for a name below it where wildcards mind. */
  knowsName(message: DnsMessage): boolean {
    if (this.#mocks.index.hasName(message.key)) return true;
    return message.type !== TYPE.ANY && this.#mocks.matches(message.forAnyType());
  }

  #collect(): Map<string, AnswerRecord> {
    const found = new Map<string, AnswerRecord>();
    for (const { compiled } of this.#mocks.values()) {
      const { exact, type, rcode, ttl } = compiled;
      const [record] = compiled.records;
      if (exact === undefined || type !== TYPE.SOA || rcode !== RCODE.NOERROR || found.has(exact)) continue;
      if (record === undefined || isTemplate(record)) continue;
      const minimum = minimumOf(record.data) ?? ttl;
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
