import { refusalByContract } from '../contract/gate.js';
import { MqttMessage } from '../message.js';
import { encodeAck } from '../wire/encode.js';
import { PACKET } from '../wire/packet-type.js';
import type { PublishPacket, Will } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON } from '../wire/protocol-error.js';
import { checkPublish } from './limits.js';
import type { MqttExchange, MqttMatch, MqttOutcome, Peer } from './peer.js';
import { publishAnswer } from './publish-answer.js';

const RESERVED = '$SYS/';
/** Messages of one client that may be on their way to the broker, and answers that may wait for their delay. */
const MAX_UNDER_WAY = 256;
const MAX_WAITING = 1000;
/** What a captured message holds beside its texts, in bytes, roughly. */
const CAPTURE_BYTES = 200;

/**
 * Takes what one client publishes (MQTT 5, sections 3.3 and 4.3): acknowledges it, hands it on, and has mocks answer
 * it, each message once.
 */
export class Publisher {
  readonly #peer: Peer;
  /** QoS 2 identifiers that were not released; a message that comes again under one is a repetition. */
  readonly #incoming: Set<number>;
  readonly #aliases = new Map<number, string>();
  readonly #waiting = new Set<MqttExchange>();
  #underWay = 0;
  /** Messages of QoS 1 without an acknowledgement. */
  #unacknowledged = 0;
  #isHolding = false;

  constructor(peer: Peer, incoming: Set<number>) {
    this.#peer = peer;
    this.#incoming = incoming;
  }

  take(packet: PublishPacket): void {
    const { id, qos } = packet;
    const topic = this.#topicOf(packet);
    const { version, limits } = this.#peer;
    checkPublish(packet, limits);
    if (qos === 2 && this.#incoming.has(id)) return this.#peer.send(encodeAck(version, PACKET.PUBREC, id));
    // Before MQTT 5 nobody is told how many messages of QoS 1 may be open.
    const open = this.#incoming.size + (version === 5 ? this.#unacknowledged : 0);
    if (qos > 0 && open >= limits.receiveMaximum) {
      throw new ProtocolError(
        REASON.RECEIVE_MAXIMUM_EXCEEDED,
        `more than ${limits.receiveMaximum} messages were not acknowledged or not released`,
      );
    }
    if (qos === 1) this.#unacknowledged += 1;
    if (qos === 2) this.#incoming.add(id);
    // Topics of the broker's own: taken, and handed to nobody.
    if (topic.startsWith(RESERVED)) return this.#refuse(packet, topic, REASON.NOT_AUTHORIZED);
    this.#begin(packet, topic);
  }

  /** PUBREL. */
  release(id: number): void {
    const code = this.#incoming.delete(id) ? REASON.SUCCESS : REASON.PACKET_ID_NOT_FOUND;
    this.#peer.send(encodeAck(this.#peer.version, PACKET.PUBCOMP, id, code));
  }

  /** The connection was lost: publishes what the client left for that. */
  publishWill(will: Will): void {
    if (!will.topic.startsWith(RESERVED)) this.#begin({ ...will, type: 'publish', id: 0 }, will.topic);
  }

  /** The connection is gone. After a DISCONNECT the answers that wait are published all the same. */
  leave(isOrderly: boolean): void {
    if (!isOrderly) for (const exchange of this.#waiting) exchange.abort();
    this.#waiting.clear();
  }

  #begin(packet: PublishPacket, topic: string): void {
    const { context } = this.#peer;
    const message = new MqttMessage('PUBLISH', topic, this.#peer, packet);
    const exchange = context.receive(message);
    const refusal = refusalByContract(context, exchange);
    if (refusal !== undefined) {
      exchange.done({ status: refusal });
      return this.#acknowledge(packet, refusal);
    }
    this.#capture(message, exchange);
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) this.#wait(packet, topic, exchange, outcome);
    else this.#conclude(packet, topic, exchange, outcome);
  }

  #conclude(packet: PublishPacket, topic: string, exchange: MqttExchange, outcome: MqttOutcome): void {
    const code = refusalOf(outcome);
    if (isRefused(code)) this.#acknowledge(packet, code);
    else this.#handOn(packet, topic, code, exchange);
    this.#finish(exchange, outcome);
  }

  #refuse(packet: PublishPacket, topic: string, code: number): void {
    const message = new MqttMessage('PUBLISH', topic, this.#peer, packet);
    this.#peer.context.receive(message).done({ status: code });
    this.#acknowledge(packet, code);
  }

  /**
   * Only the answer waits for a delay. Where there is none, or a fault is to fire, which may refuse the message, the
   * message itself does.
   */
  #wait(packet: PublishPacket, topic: string, exchange: MqttExchange, outcome: Promise<MqttOutcome>): void {
    const { transport } = this.#peer;
    const isFaulted = exchange.faulted;
    const isHandedOn = exchange.matched && !isFaulted;
    this.#waiting.add(exchange);
    this.#flow();
    if (isHandedOn) this.#handOn(packet, topic, REASON.SUCCESS, exchange);
    outcome.then(
      transport.isolate((late) => {
        if (this.#waiting.delete(exchange)) this.#flow();
        if (isHandedOn) this.#finish(exchange, late);
        else if (late.type !== 'aborted') this.#conclude(packet, topic, exchange, late);
        // The broker has taken the message when its client leaves.
        else if (!isFaulted) this.#handOn(packet, topic, REASON.SUCCESS, exchange);
      }),
      transport.isolate((error) => {
        throw error;
      }),
    );
  }

  #finish(exchange: MqttExchange, outcome: MqttOutcome): void {
    switch (outcome.type) {
      case 'matched':
        return this.#answer(exchange, outcome);
      case 'fault': {
        const { match, fault } = outcome;
        const code = refusalOf(outcome);
        if (isRefused(code) || fault.drop !== false || match === undefined)
          return exchange.done({ status: code });
        return this.#answer(exchange, match);
      }
      case 'aborted':
        return;
      default:
        return exchange.done({ status: REASON.SUCCESS });
    }
  }

  /** An answer with a delay of its own is given up with the client, like one that waits for core's. */
  #answer(exchange: MqttExchange, match: MqttMatch): void {
    const { context, broker, transport } = this.#peer;
    const published = publishAnswer(context, broker, exchange, match);
    if (published === undefined) return;
    this.#waiting.add(exchange);
    this.#flow();
    const end = transport.isolate(() => {
      if (this.#waiting.delete(exchange)) this.#flow();
    });
    published.then(
      end,
      transport.isolate((error) => {
        throw error;
      }),
    );
  }

  #handOn(packet: PublishPacket, topic: string, code: number, { isCurrent }: MqttExchange): void {
    const { broker, client, transport } = this.#peer;
    const { payload, qos, properties } = packet;
    // What a reset has overtaken still reaches its receivers, and leaves nothing behind.
    const retain = packet.retain && isCurrent;
    this.#underWay += 1;
    this.#flow();
    const end = transport.isolate(() => {
      this.#underWay -= 1;
      this.#flow();
      this.#acknowledge(packet, code);
    });
    const expiry = properties.number(PROPERTY.MESSAGE_EXPIRY);
    broker.publish({ topic, payload, properties: properties.carried, qos, retain, expiry }, client, end);
  }

  #acknowledge({ qos, id }: PublishPacket, code: number): void {
    if (qos === 0 || id === 0) return;
    if (qos === 1) this.#unacknowledged -= 1;
    const { version } = this.#peer;
    // What a PUBREC refuses is never released.
    if (version === 5 && isRefused(code)) this.#incoming.delete(id);
    this.#peer.send(encodeAck(version, qos === 1 ? PACKET.PUBACK : PACKET.PUBREC, id, code));
  }

  #capture(message: MqttMessage, exchange: MqttExchange): void {
    const { context, broker } = this.#peer;
    message.moment = broker.moments.at(exchange.startedAt);
    context.captures.add(message, CAPTURE_BYTES + message.path.length + message.payload.length, exchange);
  }

  #topicOf({ topic, properties }: PublishPacket): string {
    const alias = properties.number(PROPERTY.TOPIC_ALIAS);
    if (alias === undefined) return topic;
    const { topicAliases } = this.#peer.limits;
    if (alias > topicAliases) {
      throw new ProtocolError(
        REASON.TOPIC_ALIAS_INVALID,
        `topic alias ${alias}; at most ${topicAliases} are taken`,
      );
    }
    if (topic !== '') this.#aliases.set(alias, topic);
    const known = this.#aliases.get(alias);
    if (known === undefined)
      throw new ProtocolError(REASON.PROTOCOL_ERROR, `topic alias ${alias} stands for nothing`);
    return known;
  }

  /** Reads no more while too much is on its way. */
  #flow(): void {
    const isFull = this.#underWay >= MAX_UNDER_WAY || this.#waiting.size >= MAX_WAITING;
    if (isFull === this.#isHolding) return;
    this.#isHolding = isFull;
    if (isFull) this.#peer.hold();
    else this.#peer.release();
  }
}

function refusalOf(outcome: MqttOutcome): number {
  return outcome.type === 'fault' ? (outcome.given.reason_code ?? REASON.SUCCESS) : REASON.SUCCESS;
}

function isRefused(code: number): boolean {
  return code >= REASON.UNSPECIFIED;
}
