import { timers, type KeptBytes, type Timer } from '@backlot/kit';
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

/** A server transaction (RFC 3261 section 17.2, RFC 6026 section 7.1). */
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
  readonly #source: Source;
  /** Let go of with the final answer: thousands of transactions are kept. */
  #request: IncomingRequest | undefined;
  #last: Buffer | undefined;
  #status = 0;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(request: IncomingRequest, tag: string) {
    this.#request = request;
    this.#source = request.source;
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

  /** Sends a provisional answer. */
  provide(answer: Answer): void {
    if (this.isAnswered || this.#isOver) return;
    this.#timer?.cancel();
    this.#send(answer);
  }

  /**
   * Sends the final answer; that to an INVITE comes again until there is an ACK.
   *
   * @returns what was sent: another answer when it does not fit into a datagram
   */
  answer(wanted: Answer): Answer {
    if (this.isAnswered) return wanted;
    this.#timer?.cancel();
    this.cancel = undefined;
    const tooLarge = plainAnswer(500, 'Answer Too Large For UDP');
    const answer = this.#send(wanted) ? wanted : tooLarge;
    if (answer === tooLarge) this.#send(tooLarge);
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
  answerAgain(send = this.#source.send): void {
    if (this.#last !== undefined) send(this.#last);
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

  /** @returns `false` for what does not fit into a datagram */
  #send(answer: Answer): boolean {
    if (this.#request === undefined) return true;
    const octets = writeResponse(this.#request, answer, this.tag);
    if (this.#source.transport === 'udp' && octets.length > MAX_DATAGRAM) return false;
    this.#status = answer.status;
    this.#last = octets;
    this.#source.send(octets);
    return true;
  }

  /** Timer G. */
  #repeat(pause: number, left: number): void {
    if (left <= 0) return;
    this.#timer = timers.after(
      Math.min(pause, left),
      () => {
        if (left > pause) this.answerAgain();
        this.#repeat(Math.min(pause * 2, T2), left - pause);
      },
      { unref: true },
    );
  }
}
