import { makeAnswerRecord, type AnswerRecord } from '../wire/answer-record.js';
import { suffixesOf, type DomainName } from '../wire/name.js';
import { RCODE } from '../wire/rcodes.js';
import { TYPE } from '../wire/types.js';
import { minimumOf, type ZoneRecord } from './read-records.js';
import { ZoneError } from './scan.js';

/** The type of DNSSEC whose records belong to the zone above a delegation (RFC 4035 section 3.1.4.1). */
const DS = 43;

/** What a zone says to a question. */
export interface Found {
  readonly rcode: number;
  /** Records of the name that was asked for. */
  readonly records: readonly AnswerRecord[];
  /** The name belongs to another zone: its name servers, and their addresses as far as they are known. */
  readonly referral?: {
    readonly authority: readonly AnswerRecord[];
    readonly additional: readonly AnswerRecord[];
  };
}

const NO_DATA: Found = { rcode: RCODE.NOERROR, records: [] };
const NO_NAME: Found = { rcode: RCODE.NXDOMAIN, records: [] };

/** A name that exists in a zone; without records when only names below it have some. */
interface Node {
  readonly name: DomainName | undefined;
  /** By type, and by their data, of which there is one of each (RFC 2181 section 5). */
  readonly sets: Map<number, Map<string, AnswerRecord>>;
}

/** The records of one zone file, and the search of RFC 1034 section 4.3.2 in them. */
export class Zone {
  readonly apex: DomainName;
  /** The SOA record as negative answers carry it (RFC 2308 section 3). */
  readonly authority: AnswerRecord;
  readonly #nodes = new Map<string, Node>();

  /** @throws ZoneError when `start` is no SOA record, with which a zone begins */
  constructor(start: ZoneRecord) {
    const { line, owner, ttl, data } = start;
    if (data.type !== TYPE.SOA)
      throw new ZoneError(line, 'the first record must be the SOA record of the zone');
    this.apex = owner;
    this.authority = makeAnswerRecord(data, Math.min(ttl, minimumOf(data) ?? ttl), owner);
    this.#add(start);
  }

  /** @throws ZoneError when the record cannot stand in the zone, or not beside those before it */
  add(record: ZoneRecord): void {
    const { line, owner, data } = record;
    if (!this.#holds(owner))
      throw new ZoneError(
        line,
        `"${owner.text}" is not in the zone "${this.apex.text}"; write names below it`,
      );
    if (data.type === TYPE.SOA) throw new ZoneError(line, 'a second SOA record; a zone has one');
    if (data.type === TYPE.NS && owner.key.startsWith('*.'))
      throw new ZoneError(line, 'a wildcard has no NS records (RFC 4592 section 4.2)');
    this.#add(record);
  }

  /** Whether the name has records, or a name below it. */
  has(key: string): boolean {
    return this.#nodes.has(key);
  }

  /**
   * What the zone says to a question for a name at or below its apex.
   *
   * @param isTaken - whether something else than the zone says that a name exists, for which no wildcard answers then
   */
  find(key: string, type: number, isTaken: (key: string) => boolean): Found {
    const names = suffixesOf(key);
    let at = names.length - this.apex.suffixes.length;
    let node = this.#nodes.get(this.apex.key);
    while (at > 0) {
      const encloser = names[at];
      at -= 1;
      const name = names[at] ?? '';
      const next = this.#nodes.get(name);
      if (next === undefined) {
        // RFC 4592 section 3.3.1: the wildcard of the closest encloser is the only one that counts.
        if (names.slice(0, at + 1).some(isTaken)) return NO_DATA;
        const wildcard = this.#nodes.get(encloser === undefined ? '*' : `*.${encloser}`);
        return wildcard === undefined ? NO_NAME : answer(wildcard, type);
      }
      if (next.sets.has(TYPE.NS) && !(at === 0 && type === DS)) return this.#refer(next);
      node = next;
    }
    return node === undefined ? NO_NAME : answer(node, type);
  }

  #refer({ name, sets }: Node): Found {
    const authority: AnswerRecord[] = [];
    const additional: AnswerRecord[] = [];
    for (const { data, ttl } of sets.get(TYPE.NS)?.values() ?? []) {
      authority.push(makeAnswerRecord(data, ttl, name));
      const [part] = data.parts;
      const target = part !== undefined && 'name' in part ? part.name : undefined;
      const held = target === undefined ? undefined : this.#nodes.get(target.key);
      for (const type of [TYPE.A, TYPE.AAAA]) {
        for (const address of held?.sets.get(type)?.values() ?? [])
          additional.push(makeAnswerRecord(address.data, address.ttl, target));
      }
    }
    return { rcode: RCODE.NOERROR, records: [], referral: { authority, additional } };
  }

  #holds({ key }: DomainName): boolean {
    return this.apex.key === '.' || key === this.apex.key || key.endsWith(`.${this.apex.key}`);
  }

  #add({ line, owner, ttl, data }: ZoneRecord): void {
    const { sets } = this.#nodeOf(owner);
    const hasAlias = sets.has(TYPE.CNAME);
    if (data.type === TYPE.CNAME ? sets.size > (hasAlias ? 1 : 0) : hasAlias)
      throw new ZoneError(line, `"${owner.text}" has a CNAME beside other records (RFC 1034 section 3.6.2)`);
    const set = sets.get(data.type);
    if (set === undefined) {
      sets.set(data.type, new Map([[data.text, makeAnswerRecord(data, ttl)]]));
      return;
    }
    if (set.has(data.text)) return;
    if (data.type === TYPE.CNAME)
      throw new ZoneError(line, `"${owner.text}" has two CNAME records; write one`);
    set.set(data.text, makeAnswerRecord(data, ttl));
  }

  #nodeOf(owner: DomainName): Node {
    const held = this.#nodes.get(owner.key);
    if (held?.name !== undefined) return held;
    const node: Node = { name: owner, sets: held?.sets ?? new Map<number, Map<string, AnswerRecord>>() };
    this.#nodes.set(owner.key, node);
    for (const parent of owner.suffixes.slice(1, owner.suffixes.length - this.apex.suffixes.length)) {
      if (this.#nodes.has(parent)) break;
      this.#nodes.set(parent, { name: undefined, sets: new Map() });
    }
    return node;
  }
}

function answer({ sets }: Node, type: number): Found {
  if (type === TYPE.ANY)
    return { rcode: RCODE.NOERROR, records: [...sets.values()].flatMap((set) => [...set.values()]) };
  const records = sets.get(type) ?? sets.get(TYPE.CNAME);
  return records === undefined ? NO_DATA : { rcode: RCODE.NOERROR, records: [...records.values()] };
}
