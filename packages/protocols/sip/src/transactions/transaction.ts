import { formatAddress, timers, type KeptBytes, type ProvenAddresses, type Timer } from '@backlot/kit';
import type { IncomingRequest, Source } from '../incoming-request.js';
import { plainAnswer, writeResponse, type Answer } from '../wire/write-response.js';

// RFC 3261 table 4, in milliseconds.
const T1 = 500;
const T2 = 4000;
const T4 = 5000;
/** Timers B, F, H, J and L: how long a transaction goes on without its end. */
export const LIFETIME = 64 * T1;
/** RFC 3261 section 17.2.1: an INVITE whose answer takes longer is told so. */
const TRYING_AFTER = 200;
/** The most that a datagram of IPv4 holds. */
const MAX_DATAGRAM = 65_507;
/** So many octets may be sent for each that came to an address that may be forged. */
export const FACTOR = 3;
/** A final answer of up to so many octets is sent to any address: more should go over TCP (RFC 3261 section 18.1.1). */
const MAX_UNPROVEN = 1300;

/** Whether a sender has shown that it receives what is sent to its address. */
export function isProven({ transport, address, port }: Source, proven: ProvenAddresses): boolean {
  return transport === 'tcp' || proven.has(formatAddress(address, port));
}

/**
 * A server transaction (RFC 3261 section 17.2, RFC 6026 section 7.1). An address that has shown nothing gets no more than
 * three times the octets that came from there, but for one final answer, and that no larger than any may be (section 26.3.2.4).
 */
export class Transaction {
  readonly isInvite: boolean;
  /** By what the ACK to the 2xx of an INVITE is known. */
  readonly dialogKey: string | undefined;
  /** Of this server's side. */
  readonly tag: string;
  /** Where it stands in its table. */
  place = 0;
  /** On the wire's clock; `Infinity` while the final answer is not sent. */
  expires = Number.POSITIVE_INFINITY;
  /** Ends the exchange behind it when the client cancels. */
  cancel: (() => void) | undefined;
  /** How many octets may still be sent, to an address that is not proven. */
  credit: number;
  readonly #source: Source;
  readonly #proven: ProvenAddresses;
  #hasProvided = false;
  /** Let go of with the final answer: thousands of transactions are kept. */
  #request: IncomingRequest | undefined;
  #last: Buffer | undefined;
  #status = 0;
  #timer: Timer | undefined;
  #isOver = false;

  /** @param proven - the addresses that have shown that they receive what is sent there */
  constructor(request: IncomingRequest, tag: string, proven: ProvenAddresses) {
    this.#request = request;
    this.#source = request.source;
    this.#proven = proven;
    this.credit = FACTOR * request.size;
    this.isInvite = request.method === 'INVITE';
    this.dialogKey = this.isInvite ? request.dialogKey : undefined;
    this.tag = tag;
  }

  /** What was sent last. */
  get last(): Buffer | undefined {
    return this.#last;
  }

  /** The final answer has been sent: it stays for a while, without what else came about then. */
  keepLast(kept: KeptBytes): void {
    if (this.#last !== undefined) this.#last = kept.keep(this.#last);
  }

  get isAnswered(): boolean {
    return this.#status >= 200;
  }

  /** Whether it is a 2xx to an INVITE, whose ACK is a transaction of its own. */
  get isAccepted(): boolean {
    return this.isInvite && this.#status >= 200 && this.#status < 300;
  }

  /** Says 100 unless there is another answer soon. */
  tryLater(): void {
    if (!this.isInvite || this.#last !== undefined) return;
    this.#timer = timers.after(TRYING_AFTER, () => this.provide(plainAnswer(100, 'Trying')), { unref: true });
  }

  /** Sends a provisional answer: they may be left out, where too much would be sent. */
  provide(answer: Answer): void {
    if (this.isAnswered || this.#isOver || this.#request === undefined) return;
    this.#timer?.cancel();
    const octets = writeResponse(this.#request, answer, this.tag);
    if (octets.length > this.#limit || !this.#spend(octets.length)) return;
    this.#hasProvided = true;
    this.#send(answer, octets);
  }

  /**
   * Sends the final answer; that to an INVITE comes again until there is an ACK.
   *
   * @returns what was sent: another answer when it does not fit into a datagram, or is too large for the address
   */
  answer(wanted: Answer): Answer {
    if (this.isAnswered) return wanted;
    this.#timer?.cancel();
    this.cancel = undefined;
    const answer = this.#sendFinal(wanted);
    this.#request = undefined;
    this.expires = timers.now() + LIFETIME;
    // Section 13.3.1.4: a 2xx also over a reliable transport, since a proxy may stand between.
    if (this.isInvite && !this.#isOver && (this.isAccepted || this.#source.transport === 'udp')) {
      this.#repeat(T1, LIFETIME);
    }
    return answer;
  }

  /** The answer is to be none: what comes again is met with silence. */
  drop(): void {
    this.#timer?.cancel();
    this.cancel = undefined;
    this.expires = timers.now() + LIFETIME;
  }

  /** The same request came again, perhaps over another connection. */
  answerAgain({ size, source }: Pick<IncomingRequest, 'size' | 'source'>): void {
    this.credit += FACTOR * size;
    const last = this.#last;
    if (last !== undefined && this.#spend(last.length, source)) source.send(last);
  }

  /** The ACK came. */
  confirm(): void {
    if (!this.isAnswered) return;
    this.#timer?.cancel();
    // Timer I: further ACKs are still expected, and have no effect.
    if (!this.isAccepted) this.expires = Math.min(this.expires, timers.now() + T4);
  }

  /** It is forgotten: an answer that is still to come is sent once. */
  end(): void {
    this.#timer?.cancel();
    this.#isOver = true;
  }

  get #limit(): number {
    return this.#source.transport === 'udp' ? MAX_DATAGRAM : Number.POSITIVE_INFINITY;
  }

  /** @returns what was sent */
  #sendFinal(wanted: Answer): Answer {
    if (this.#request === undefined) return wanted;
    const octets = writeResponse(this.#request, wanted, this.tag);
    const { length } = octets;
    if (length <= this.#limit && (this.#spend(length) || length <= MAX_UNPROVEN)) {
      this.#send(wanted, octets);
      return wanted;
    }
    const tooLarge = plainAnswer(500, 'Answer Too Large For UDP');
    this.#send(tooLarge, writeResponse(this.#request, tooLarge, this.tag));
    return tooLarge;
  }

  #send({ status }: Answer, octets: Buffer): void {
    this.#status = status;
    this.#last = octets;
    this.#source.send(octets);
  }

  /** Whether so many octets may be sent. */
  #spend(octets: number, to = this.#source): boolean {
    if (octets <= this.credit) {
      this.credit -= octets;
      return true;
    }
    return isProven(to, this.#proven);
  }

  /**
   * Whether the answer may be sent again of its own accord. A client that has heard nothing sends its INVITE again; one that
   * has heard a provisional answer does not.
   */
  #mayRepeat({ length }: Buffer): boolean {
    if (isProven(this.#source, this.#proven)) return true;
    return (this.isAccepted || this.#hasProvided) && this.#spend(length);
  }

  /** Timer G. */
  #repeat(pause: number, left: number): void {
    if (left <= 0) return;
    this.#timer = timers.after(
      Math.min(pause, left),
      () => {
        const last = this.#last;
        if (left > pause && last !== undefined && this.#mayRepeat(last)) this.#source.send(last);
        this.#repeat(Math.min(pause * 2, T2), left - pause);
      },
      { unref: true },
    );
  }
}
