import { Readable } from 'node:stream';
import { DONE, Settled } from './settled.js';
import type { StoredPacket } from './message-queue.js';
import type { Retained } from './retained.js';
import { RetainedStream, type Flow } from './retained-stream.js';
import type { Envelope } from './envelope.js';
import type { Sessions, StoredSubscription, Wanting } from './sessions.js';

const NO_BYTES = Buffer.alloc(0);

interface ClientId {
  readonly id: string;
}

/** Who is about to get the retained messages of its new subscriptions. */
export interface RetainedRequest {
  readonly filters: readonly string[];
  /** The bytes of the subscription identifier of the SUBSCRIBE. */
  readonly identifiers: Buffer;
  readonly flow: Flow;
  /** It has got them all. */
  done(): void;
}

/**
 * What aedes keeps its data in, in the form that `aedes-persistence` describes: bounded, cleared by a reset, in
 * snapshots. Messages that come in with QoS 2 never get here, since {@link Publisher} takes them.
 */
export class Persistence {
  readonly #retained: Retained;
  readonly #sessions: Sessions;
  readonly #envelope: Envelope;
  readonly #wills = new Map<string, StoredPacket>();
  #lastAdded: readonly StoredSubscription[] | undefined;
  /** Who has just subscribed: aedes asks for the retained messages right behind telling of it. */
  asking: RetainedRequest | undefined;

  constructor(retained: Retained, sessions: Sessions, envelope: Envelope) {
    this.#envelope = envelope;
    this.#retained = retained;
    this.#sessions = sessions;
  }

  // aedes insists on an async function here.
  async setup(): Promise<void> {
    // Nothing has to be opened.
  }

  storeRetained(packet: StoredPacket): Settled<undefined> {
    this.#retained.set(packet.topic ?? '', packet);
    return DONE;
  }

  createRetainedStreamCombi(filters: readonly string[]): Readable {
    const asking = this.asking;
    this.asking = undefined;
    const wanted = asking?.filters ?? filters;
    if (wanted.length === 0) return Readable.from([]);
    const found = this.#retained.match(wanted);
    const packets = asking === undefined ? found : this.#address(found, asking.identifiers);
    const stream = new RetainedStream(packets, asking?.flow);
    if (asking !== undefined) stream.once('close', () => asking.done());
    return stream;
  }

  addSubscriptions({ id }: ClientId, subscriptions: readonly StoredSubscription[]): Settled<undefined> {
    // aedes gives the whole list for each subscription in it.
    if (subscriptions === this.#lastAdded) return DONE;
    this.#lastAdded = subscriptions;
    const session = this.#sessions.get(id);
    if (session !== undefined) for (const each of subscriptions) this.#sessions.subscribe(session, each);
    return DONE;
  }

  removeSubscriptions({ id }: ClientId, filters: readonly string[]): Settled<undefined> {
    const session = this.#sessions.get(id);
    if (session !== undefined) for (const filter of filters) this.#sessions.unsubscribe(session, filter);
    return DONE;
  }

  subscriptionsByClient({ id }: ClientId): Settled<StoredSubscription[]> {
    return new Settled(
      [...(this.#sessions.get(id)?.subscriptions.values() ?? [])].map((each) => ({ ...each })),
    );
  }

  subscriptionsByTopic(topic: string): Settled<readonly Wanting[]> {
    return new Settled(this.#sessions.wanting(topic));
  }

  cleanSubscriptions({ id }: ClientId): Settled<undefined> {
    this.#sessions.forget(id);
    return DONE;
  }

  outgoingEnqueue({ clientId }: { clientId: string }, packet: StoredPacket): Settled<undefined> {
    const expiresAt = packet.payload === undefined ? 0 : this.#envelope.expiryAt(packet.payload);
    this.#sessions.get(clientId)?.queue.add({ ...packet, expiresAt });
    return DONE;
  }

  outgoingEnqueueCombi(wanted: readonly Wanting[], packet: StoredPacket): Settled<undefined> {
    if (wanted.length === 0) return DONE;
    // A copy: the payload may be a part of a much larger chunk.
    const payload = Buffer.from(packet.payload ?? []);
    const expiresAt = this.#envelope.expiryAt(payload);
    let asRetained: Buffer | undefined;
    for (const { clientId, qos, retain } of wanted) {
      const isRetained = retain && packet.retain === true;
      if (isRetained) asRetained ??= this.#envelope.address(payload, NO_BYTES, true);
      this.#sessions.get(clientId)?.queue.add({
        ...packet,
        payload: isRetained && asRetained !== undefined ? asRetained : payload,
        qos: Math.min(qos, packet.qos ?? 0),
        retain: false,
        expiresAt,
      });
    }
    return DONE;
  }

  outgoingUpdate({ id }: ClientId, packet: StoredPacket): Settled<undefined> {
    const queue = this.#sessions.get(id)?.queue;
    if (packet.cmd === 'publish' && packet.qos === 0) queue?.drop(packet.brokerCounter ?? 0);
    else queue?.update(packet);
    return DONE;
  }

  outgoingClearMessageId({ id }: ClientId, packet: StoredPacket): Settled<StoredPacket | undefined> {
    const queue = this.#sessions.get(id)?.queue;
    if (packet.messageId !== undefined) return new Settled(queue?.remove(packet.messageId));
    // Without an identifier it is a message that is not delivered: a repetition, which stays, or the client's own, which
    // is kept only where another subscription of the client takes it.
    return new Settled(undefined);
  }

  outgoingStream({ id }: ClientId): Readable {
    const packets = this.#sessions.get(id)?.queue.values() ?? [];
    // What was sent before is sent again as a duplicate [MQTT-3.3.1-1].
    return Readable.from(packets.map((packet) => ({ ...packet, dup: packet.messageId !== undefined })));
  }

  *#address(
    packets: Iterable<StoredPacket | undefined>,
    identifiers: Buffer,
  ): Generator<StoredPacket | undefined, undefined> {
    for (const packet of packets) {
      if (packet?.payload === undefined || identifiers.length === 0) yield packet;
      else yield { ...packet, payload: this.#envelope.address(packet.payload, identifiers, false) };
    }
  }

  async putWill({ id }: ClientId, will: StoredPacket): Promise<void> {
    this.#wills.set(id, will);
  }

  async delWill({ id }: ClientId): Promise<StoredPacket | undefined> {
    const will = this.#wills.get(id);
    this.#wills.delete(id);
    return will;
  }

  streamWill(): Readable {
    return Readable.from([]);
  }
}
