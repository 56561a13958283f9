import { parameterOf, parseCSeq, splitList } from './wire/fields.js';
import { bad, type RawRequest, type Refusal } from './wire/read-message.js';
import { readVia } from './wire/via.js';

/** Where a request came from, and the way back. */
export interface Source {
  readonly address: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp';
  /** Where this server is, as `host:port`, for Contact; `undefined` when it listens on every address. */
  readonly local: string | undefined;
  readonly send: (octets: Buffer) => void;
}

/** The headers that every answer copies (RFC 3261 section 8.2.6.2); without one of them nothing can be answered. */
interface CopiedHeaders {
  /** The topmost Via. */
  readonly via: string;
  /** The lines of the others. */
  readonly otherVias: string;
  readonly from: string;
  readonly to: string;
  readonly callId: string;
  readonly cseq: string;
  readonly hasRecordRoute: boolean;
  readonly hasRequire: boolean;
  readonly refusal: Refusal | undefined;
}

/** A request that can be answered. */
export class IncomingRequest {
  readonly method: string;
  readonly uri: string;
  /** As in {@link RawRequest}. */
  readonly head: string;
  /** As in {@link RawRequest}. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Octets that it came in. */
  readonly size: number;
  readonly source: Source;
  /** The answer to a request that is not as it should be. */
  readonly refusal: Refusal | undefined;
  /** The Via lines of the answer. */
  readonly vias: string;
  readonly from: string;
  readonly to: string;
  readonly callId: string;
  readonly cseq: string;
  readonly fromTag: string;
  /** Of the client's side: empty outside of a dialog. */
  readonly toTag: string;
  readonly hasRecordRoute: boolean;
  readonly hasRequire: boolean;
  /** A hash of the branch and its sender: what tells two ways of the same request apart (RFC 3261 section 17.2.3). */
  readonly branch: number;
  readonly #transaction: string;
  #key: string | undefined;

  private constructor(raw: RawRequest, source: Source, copied: CopiedHeaders) {
    const { method } = raw;
    this.method = method;
    this.uri = raw.uri;
    this.head = raw.head;
    this.headers = raw.headers;
    this.body = raw.body;
    this.size = raw.size;
    this.source = source;
    this.from = copied.from;
    this.to = copied.to;
    this.callId = copied.callId;
    this.cseq = copied.cseq;
    this.hasRecordRoute = copied.hasRecordRoute;
    this.hasRequire = copied.hasRequire;
    const [first = '', ...rest] = copied.via.includes(',') ? splitList(copied.via) : [copied.via];
    const via = readVia(first, source.address, source.port);
    let vias = `Via: ${via?.answered ?? first}\r\n`;
    for (const each of rest) vias += viaLine(each);
    this.vias = vias + copied.otherVias;
    this.fromTag = parameterOf(copied.from, 'tag') ?? '';
    this.toTag = parameterOf(copied.to, 'tag') ?? '';
    const sequence = parseCSeq(copied.cseq);
    this.branch = hashOf(via?.sentBy ?? '', hashOf(via?.branch ?? '', 0));
    this.#transaction = `${sequence?.number ?? ''} ${copied.callId} ${this.fromTag}`;
    this.refusal =
      copied.refusal ??
      (via === undefined ? bad('Malformed Via Header Field') : undefined) ??
      (copied.callId === '' ? bad('Empty Call-ID Header Field') : undefined) ??
      (sequence === undefined ? bad('Malformed CSeq Header Field') : undefined) ??
      (sequence?.method === method ? undefined : bad('CSeq Method Does Not Match The Request'));
  }

  /** @returns `undefined` when it does not hold what an answer needs */
  static read(raw: RawRequest, source: Source): IncomingRequest | undefined {
    const copied = readCopied(raw);
    return copied === undefined ? undefined : new IncomingRequest(raw, source, copied);
  }

  /** By what the same request and, for INVITE, its ACK and CANCEL are known again, by whatever way they come. */
  transactionKey(method = this.method): string {
    if (method !== this.method) return `${method} ${this.#transaction}`;
    return (this.#key ??= `${method} ${this.#transaction}`);
  }

  /** By what the ACK to a 2xx is known, which is a transaction of its own (RFC 3261 section 13.2.2.4). */
  get dialogKey(): string {
    return `${this.cseq.split(/\s/, 1)[0] ?? ''} ${this.callId} ${this.fromTag}`;
  }

  /** All values of a header, by its whole name in lower case. */
  valuesOf(name: string): string[] {
    const values: string[] = [];
    for (let index = 0; index < this.headers.length; index += 2) {
      if (this.headers[index] === name) values.push(this.headers[index + 1] ?? '');
    }
    return values;
  }
}

function readCopied({ headers, refusal: first }: RawRequest): CopiedHeaders | undefined {
  let via: string | undefined;
  let otherVias = '';
  let from: string | undefined;
  let to: string | undefined;
  let callId: string | undefined;
  let cseq: string | undefined;
  let maxForwards: string | undefined;
  let hasRecordRoute = false;
  let hasRequire = false;
  let isRepeated = false;
  for (let index = 0; index < headers.length; index += 2) {
    const value = headers[index + 1] ?? '';
    switch (headers[index]) {
      case 'via':
        if (via === undefined) via = value;
        else otherVias += viaLine(value);
        break;
      case 'from':
        isRepeated ||= from !== undefined;
        from ??= value;
        break;
      case 'to':
        isRepeated ||= to !== undefined;
        to ??= value;
        break;
      case 'call-id':
        isRepeated ||= callId !== undefined;
        callId ??= value;
        break;
      case 'cseq':
        isRepeated ||= cseq !== undefined;
        cseq ??= value;
        break;
      case 'max-forwards':
        isRepeated ||= maxForwards !== undefined;
        maxForwards ??= value;
        break;
      case 'record-route':
        hasRecordRoute = true;
        break;
      case 'require':
        hasRequire = true;
        break;
      default:
    }
  }
  if (via === undefined || from === undefined || to === undefined) return undefined;
  if (callId === undefined || cseq === undefined) return undefined;
  const repeated = isRepeated ? bad('A Header Field That May Come Once Came Twice') : undefined;
  const refusal = first ?? repeated ?? checkForwards(maxForwards);
  return { via, otherVias, from, to, callId, cseq, hasRecordRoute, hasRequire, refusal };
}

function viaLine(value: string): string {
  return `Via: ${value}\r\n`;
}

/** Only proxies look at how many may still follow (RFC 3261 section 16.3); here it must be a number. */
function checkForwards(value: string | undefined): Refusal | undefined {
  if (value === undefined || value === '70') return undefined;
  if (/^0*\d{1,3}$/.test(value) && Number(value) <= 255) return undefined;
  return bad('Malformed Max-Forwards Header Field');
}

function hashOf(text: string, seed: number): number {
  let hash = seed ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
