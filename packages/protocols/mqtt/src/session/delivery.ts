import { ByteReader } from '@backlot/kit/framing';
import { hasExpired } from '../broker/envelope.js';
import type { Flow } from '../broker/retained-stream.js';
import { encodeAck, encodePublish } from '../wire/encode.js';
import { encodeU32Property } from '../wire/encode-properties.js';
import { PacketFramer } from '../wire/packet-framer.js';
import { PACKET } from '../wire/packet-type.js';
import type { AckPacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { REASON } from '../wire/protocol-error.js';
import type { Peer } from './peer.js';
import { TopicAliases } from './topic-aliases.js';

/** What the broker tells beside messages. */
export interface BrokerAnswers {
  onConnack(code: number): void;
  onSuback(id: number, codes: readonly number[]): void;
  onUnsuback(id: number): void;
}

/**
 * What a client said about what it can take (MQTT 5, sections 3.1.2.11.3 and 3.1.2.11.4); both without limit for MQTT
 * 3.1.1.
 */
export interface DeliveryLimits {
  /** Messages of QoS 1 and 2 it has not acknowledged. */
  readonly receiveMaximum: number;
  /** Bytes of one packet. */
  readonly packetSize: number;
  /** Topics that may be given a name; 0 is none. */
  readonly topicAliases: number;
}

const DUP_BIT = 0x08;
const QOS_BITS = 0x06;
const RETAIN_BIT = 0x01;

const MAX_QUEUED = 10_000;
/** What may wait in front of a further message, which may be of any size. */
const MAX_QUEUED_BYTES = 1024 * 1024;
/**
 * While so many bytes wait for the client, or so many messages for its acknowledgements, it gets no retained messages.
 */
const ENOUGH_UNREAD = 128 * 1024;
const ENOUGH_QUEUED = 100;

/**
 * Turns what the broker sends, which is MQTT 3.1.1, into what the client speaks, within the limits the client has set.
 */
export class Delivery implements Flow {
  readonly #peer: Peer;
  readonly #limits: DeliveryLimits;
  readonly #aliases: TopicAliases | undefined;
  readonly #answers: BrokerAnswers;
  readonly #framer = new PacketFramer('anywhere');
  readonly #unacknowledged = new Set<number>();
  #queue: { readonly id: number; readonly frame: Buffer }[] = [];
  #queuedBytes = 0;
  #isOver = false;
  #onChanged: (() => void)[] = [];

  constructor(peer: Peer, limits: DeliveryLimits, answers: BrokerAnswers) {
    this.#peer = peer;
    this.#limits = limits;
    this.#aliases = limits.topicAliases > 0 ? new TopicAliases(limits.topicAliases) : undefined;
    this.#answers = answers;
    peer.transport.onDrain(() => this.#changed());
  }

  get isFull(): boolean {
    return this.#peer.transport.buffered > ENOUGH_UNREAD || this.#queue.length >= ENOUGH_QUEUED;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  onceChanged(callback: () => void): void {
    this.#onChanged.push(callback);
  }

  /** The connection is gone. */
  leave(): void {
    this.#isOver = true;
    this.#changed();
  }

  /** Takes bytes of the broker. */
  take(bytes: Buffer): void {
    this.#framer.push(bytes, (frame) => this.#takePacket(frame));
  }

  /** The client has acknowledged: PUBACK, PUBREC, PUBCOMP. */
  acknowledge({ type, id, code }: AckPacket): void {
    // A refusal ends the delivery of a QoS 2 message early, which the broker knows as a PUBACK.
    const isRefused = type === 'pubrec' && code >= REASON.UNSPECIFIED;
    const broker = type === 'pubrec' ? (isRefused ? PACKET.PUBACK : PACKET.PUBREC) : ACKS[type];
    this.#peer.side.feed(encodeAck(4, broker, id));
    if (type !== 'pubrec' || isRefused) this.#settle(id);
  }

  #takePacket(frame: Buffer): void {
    const type = (frame[0] ?? 0) >> 4;
    if (type === PACKET.PUBLISH) return this.#publish(frame);
    const reader = new ByteReader(frame, 1);
    reader.varint(4);
    if (type === PACKET.CONNACK) {
      reader.skip(1);
      this.#answers.onConnack(reader.u8());
    } else if (type === PACKET.SUBACK) this.#answers.onSuback(reader.u16(), [...reader.rest()]);
    else if (type === PACKET.UNSUBACK) this.#answers.onUnsuback(reader.u16());
    else if (type === PACKET.PUBREL) this.#peer.send(frame);
  }

  /** A message of the broker: it goes to the client at once, or when the client has acknowledged others. */
  #publish(frame: Buffer): void {
    const id = idOf(frame);
    if (id === 0 || this.#unacknowledged.size < this.#limits.receiveMaximum) return this.#deliver(id, frame);
    if (this.#queue.length >= MAX_QUEUED || this.#queuedBytes > MAX_QUEUED_BYTES) {
      this.#queue = [];
      this.#peer.close(REASON.QUOTA_EXCEEDED);
      return;
    }
    this.#queue.push({ id, frame });
    this.#queuedBytes += frame.length;
  }

  #deliver(id: number, frame: Buffer): void {
    const translated = this.#translate(frame);
    const bytes = translated?.bytes;
    if (bytes === undefined || bytes.length > this.#limits.packetSize) {
      // It counts as delivered [MQTT-3.1.2-25].
      if (id !== 0) this.#peer.side.feed(encodeAck(4, PACKET.PUBACK, id));
      return;
    }
    if (id !== 0 && this.#limits.receiveMaximum !== Infinity) this.#unacknowledged.add(id);
    this.#peer.send(bytes);
    if (translated?.named !== undefined) this.#aliases?.give(translated.named);
  }

  /** A message as the client gets it, with the topic that it gives a name; `undefined` when it has expired. */
  #translate(frame: Buffer): { readonly bytes: Buffer; readonly named?: string | undefined } | undefined {
    const { version, broker, context } = this.#peer;
    const header = frame[0] ?? 0;
    const reader = new ByteReader(frame, 1);
    reader.varint(4);
    const start = reader.position;
    const topicStart = start + 2;
    reader.skip(reader.u16());
    const topicEnd = reader.position;
    if ((header & QOS_BITS) !== 0) reader.skip(2);
    const { position } = reader;
    if (version !== 5 && !broker.envelope.isAt(frame, position)) return { bytes: frame };
    const { properties, payload, expiresAt, retain } = broker.envelope.open(frame, position);
    const now = expiresAt === 0 ? 0 : context.clock.now();
    // One that the client may have is repeated all the same, since the client counts on that.
    if ((header & DUP_BIT) === 0 && hasExpired(expiresAt, now)) return undefined;
    const parts = [properties];
    if (expiresAt !== 0) {
      const left = Math.max(0, Math.ceil((expiresAt - now) / 1000));
      parts.push(encodeU32Property(PROPERTY.MESSAGE_EXPIRY, left));
    }
    const topic = this.#aliases === undefined ? '' : frame.toString('utf8', topicStart, topicEnd);
    const known = this.#aliases?.known(topic);
    const proposed = known === undefined ? this.#aliases?.propose(topic) : undefined;
    const alias = known?.property ?? proposed;
    if (alias !== undefined) parts.push(alias);
    const bytes = encodePublish(
      retain ? header | RETAIN_BIT : header,
      known === undefined
        ? frame.subarray(start, position)
        : Buffer.concat([known.topic, frame.subarray(topicEnd, position)]),
      version === 5 ? Buffer.concat(parts) : undefined,
      payload,
    );
    return { bytes, named: proposed === undefined ? undefined : topic };
  }

  #settle(id: number): void {
    if (!this.#unacknowledged.delete(id)) return;
    while (this.#unacknowledged.size < this.#limits.receiveMaximum) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      this.#queuedBytes -= next.frame.length;
      this.#deliver(next.id, next.frame);
    }
    if (this.#onChanged.length > 0 && !this.isFull) this.#changed();
  }

  #changed(): void {
    const callbacks = this.#onChanged;
    this.#onChanged = [];
    for (const callback of callbacks) callback();
  }
}

const ACKS = { puback: PACKET.PUBACK, pubrel: PACKET.PUBREL, pubcomp: PACKET.PUBCOMP } as const;

/** The packet identifier of a PUBLISH; 0 with QoS 0. */
function idOf(frame: Buffer): number {
  if (((frame[0] ?? 0) & QOS_BITS) === 0) return 0;
  const reader = new ByteReader(frame, 1);
  reader.varint(4);
  reader.skip(reader.u16());
  return reader.u16();
}
