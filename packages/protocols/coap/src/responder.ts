import type { Random } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import type { IncomingRequest, Send } from './incoming-request.js';
import { diagnose, type Representation } from './representation.js';
import { cutAnswer, type CutOptions } from './transfer/cut.js';
import type { Duplicates } from './transfer/duplicates.js';
import { MessageIds } from './transfer/message-ids.js';
import type { Delivery, ReliableSender } from './transfer/reliable-sender.js';
import { Transfers } from './transfer/transfers.js';
import { CODE } from './wire/codes.js';
import { TYPE } from './wire/decode.js';
import { encodeEmpty, encodeMessage } from './wire/encode.js';

/**
 * After so many milliseconds a request is acknowledged without its answer; well before the client, which waits 2 s at
 * least, sends it again (RFC 7252 section 5.2.2).
 */
const PROCESSING_DELAY = 500;

/** Who is told something without having just asked. */
export interface Listener {
  readonly remote: string;
  readonly send: Send;
  readonly token: Buffer;
  readonly transferKey: string;
}

/** Puts answers into messages: with the acknowledgement or behind it, whole or in blocks. */
export class Responder {
  readonly #sender: ReliableSender;
  readonly #duplicates: Duplicates;
  readonly #payloads = new Transfers<Representation>();
  readonly #messageIds: MessageIds;

  constructor(sender: ReliableSender, duplicates: Duplicates, random: Random) {
    this.#sender = sender;
    this.#duplicates = duplicates;
    this.#messageIds = new MessageIds(random);
  }

  /**
   * Answers a request.
   *
   * @returns what was sent: another answer when there is no such block
   */
  respond(request: IncomingRequest, answer: Representation, more: CutOptions = {}): Representation {
    const { block1, block2 } = request.options;
    const asked = block1 === undefined && block2 === undefined ? more : { block1, block2, ...more };
    const cut = cutAnswer(answer, asked);
    if (cut === undefined) {
      const refusal = diagnose(CODE.BAD_REQUEST, `there is no block ${block2?.number ?? 0}`);
      this.#deliver(request, refusal.code, refusal.tail);
      return refusal;
    }
    if (cut.isPart) this.#keep(request.remote, request.transferKey, answer);
    this.#deliver(request, answer.code, cut.tail);
    return answer;
  }

  /** Sends a further block of an answer that was begun; `false` when nothing is known of it. */
  respondWithNextBlock(request: IncomingRequest): boolean {
    const answer = this.#payloads.get(request.remote, request.transferKey);
    if (answer === undefined) return false;
    this.respond(request, answer);
    return true;
  }

  /** Acknowledges a request whose answer takes its time. */
  acknowledgeSoon(request: IncomingRequest): void {
    if (!request.isConfirmable) return;
    const acknowledge = (): void => this.#acknowledge(request);
    request.seen.acknowledge = acknowledge;
    request.acknowledging = timers.after(PROCESSING_DELAY, acknowledge, { unref: true });
  }

  /** @param onEnd - given: the message is confirmable, and this is how it ended. @returns its message id */
  notify(
    listener: Listener,
    answer: Representation,
    options: CutOptions,
    onEnd: ((delivery: Delivery) => void) | undefined,
  ): number {
    const { remote, send, token, transferKey } = listener;
    const cut = cutAnswer(answer, options);
    const tail = cut?.tail ?? answer.tail;
    if (cut?.isPart === true) this.#keep(remote, transferKey, answer);
    const messageId = this.#messageIds.next();
    const type = onEnd === undefined ? TYPE.NON : TYPE.CON;
    const octets = encodeMessage(type, answer.code, messageId, token, tail);
    if (onEnd === undefined) send(octets);
    else this.#sender.send(remote, messageId, octets, send, onEnd);
    return messageId;
  }

  #acknowledge(request: IncomingRequest): void {
    request.isAcknowledged = true;
    request.acknowledging?.cancel();
    const octets = encodeEmpty(TYPE.ACK, request.packet.messageId);
    request.seen.acknowledge = undefined;
    this.#duplicates.settle(request.seen, octets);
    request.send(octets);
  }

  #deliver(request: IncomingRequest, code: number, tail: Buffer): void {
    const { packet, seen, send, remote } = request;
    request.acknowledging?.cancel();
    seen.acknowledge = undefined;
    if (!request.isConfirmable) {
      send(encodeMessage(TYPE.NON, code, this.#messageIds.next(), packet.token, tail));
    } else if (request.isAcknowledged) {
      const messageId = this.#messageIds.next();
      const octets = encodeMessage(TYPE.CON, code, messageId, packet.token, tail);
      this.#sender.send(remote, messageId, octets, send);
    } else {
      const octets = encodeMessage(TYPE.ACK, code, packet.messageId, packet.token, tail);
      this.#duplicates.settle(seen, octets);
      send(octets);
    }
  }

  #keep(remote: string, key: string, answer: Representation): void {
    if (this.#payloads.get(remote, key) !== answer) {
      this.#payloads.set(remote, key, answer, answer.payload.length);
    }
  }
}
