import type { Json, Service } from '@backlot/core/plugin';
import { createService, type DatagramRemote } from '@backlot/kit';
import { emittedRepresentation } from './emission.js';
import { IncomingRequest, type Send } from './incoming-request.js';
import { Observers } from './observers.js';
import { hashOf } from './representation.js';
import { RequestHandler } from './request-handler.js';
import { Responder } from './responder.js';
import type { CoapContext } from './shape.js';
import { Duplicates, type Client, type Seen } from './transfer/duplicates.js';
import { ReliableSender } from './transfer/reliable-sender.js';
import { classOf, CODE } from './wire/codes.js';
import { decode, messageIdOf, TYPE, typeOf, type Packet } from './wire/decode.js';
import { encodeEmpty } from './wire/encode.js';
import { readRequestOptions } from './wire/request-options.js';

/** Datagrams of up to so many octets are copied. */
const SMALL = 512;
/** How much of a datagram tells it from another with the same message id. */
const HASHED = 256;

/** Takes datagrams. */
export function createCoapService(context: CoapContext): Service {
  const layer = new MessageLayer(context);
  const service = createService(context, {
    datagram: {
      isPerClient: true,
      onMessage: (data, from, reply) => layer.take(data, from, reply),
    },
    onStopped: () => layer.stop(),
    describe: () => ({ observers: layer.observers }),
  });
  return Object.assign(service, {
    emit: (message: Json) => ({ status: 'sent', delivered: layer.emit(message) }),
  });
}

/** The message layer of RFC 7252 section 4. */
class MessageLayer {
  readonly #duplicates = new Duplicates();
  readonly #sender: ReliableSender;
  readonly #observers: Observers;
  readonly #handler: RequestHandler;

  constructor(context: CoapContext) {
    this.#sender = new ReliableSender(context.random('retransmission'));
    const responder = new Responder(this.#sender, this.#duplicates, context.random('message-id'));
    this.#observers = new Observers(context, responder);
    this.#handler = new RequestHandler(context, responder, this.#observers);
  }

  /** @returns how many observers are told */
  emit(message: Json): number {
    return this.#observers.push(String(message['path']), emittedRepresentation(message));
  }

  get observers(): number {
    return this.#observers.count;
  }

  take(data: Buffer, { address, port }: DatagramRemote, send: Send): Promise<void> | undefined {
    return this.#receive(data, this.#duplicates.clientAt(address, port), send);
  }

  stop(): void {
    this.#observers.stop();
    this.#sender.stop();
    this.#duplicates.clear();
  }

  #receive(data: Buffer, client: Client, send: Send): Promise<void> | undefined {
    // Node gives each datagram a buffer of its own; small ones share one, which is much less to collect.
    const packet = decode(data.length <= SMALL ? Buffer.from(data) : data);
    if (packet === 'ignore') return undefined;
    if (packet === 'reject') {
      // Section 4.3: what is not confirmable is rejected by silence.
      if (typeOf(data) === TYPE.CON) send(encodeEmpty(TYPE.RST, messageIdOf(data)));
      return undefined;
    }
    const { type, messageId, code } = packet;
    if (type === TYPE.ACK || type === TYPE.RST) {
      const { remote } = client;
      this.#sender.end(remote, messageId, type === TYPE.ACK ? 'acknowledged' : 'reset');
      if (type === TYPE.RST) this.#observers.reset(remote, messageId);
      return undefined;
    }
    if (code === CODE.EMPTY || classOf(code) !== 0) {
      // A ping, a response that nobody has asked for, or a class that does not exist.
      if (type === TYPE.CON) send(encodeEmpty(TYPE.RST, messageId));
      return undefined;
    }
    return this.#receiveRequest(packet, client, send);
  }

  #receiveRequest(packet: Packet, client: Client, send: Send): Promise<void> | undefined {
    const { data, messageId } = packet;
    const hash = hashOf(data, Math.min(data.length, HASHED)) ^ data.length;
    const known = this.#duplicates.find(client, messageId, hash);
    if (known !== undefined) {
      answerAgain(known, send);
      return undefined;
    }
    const options = readRequestOptions(packet);
    const seen = this.#duplicates.add(client, messageId, hash);
    if (options.bad?.code === CODE.BAD_OPTION && packet.type === TYPE.NON) {
      // Section 5.4.1: a message to reject, not a request to refuse.
      send(encodeEmpty(TYPE.RST, messageId));
      return undefined;
    }
    return this.#handler.handle(new IncomingRequest(packet, options, client.remote, send, seen));
  }
}

/** Section 4.5: the same answer, and to who still waits for one an acknowledgement. */
function answerAgain({ answer, acknowledge }: Seen, send: Send): void {
  if (acknowledge !== undefined) acknowledge();
  else if (answer !== undefined) send(answer);
}
