import { Readable } from 'node:stream';
import { DONE, Settled } from './settled.js';
import type { StoredPacket } from './message-queue.js';
import type { Retained } from './retained.js';
import { RetainedStream, type Flow } from './retained-stream.js';
import type { Sessions, StoredSubscription } from './sessions.js';

interface ClientId {
  readonly id: string;
}

/** Who is about to get the retained messages of its new subscriptions. */
export interface RetainedRequest {
  readonly filters: readonly string[];
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
  readonly #wills = new Map<string, StoredPacket>();
  #lastAdded: readonly StoredSubscription[] | undefined;
  /** Who has just subscribed: aedes asks for the retained messages right behind telling of it. */
  asking: RetainedRequest | undefined;

  constructor(retained: Retained, sessions: Sessions) {
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
    const stream = new RetainedStream(this.#retained.match(wanted), asking?.flow);
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

  subscriptionsByTopic(topic: string): Settled<ReturnType<Sessions['wanting']>> {
    return new Settled(this.#sessions.wanting(topic));
  }

  cleanSubscriptions({ id }: ClientId): Settled<undefined> {
    this.#sessions.forget(id);
    return DONE;
  }

  outgoingEnqueue({ clientId }: { clientId: string }, packet: StoredPacket): Settled<undefined> {
    this.#sessions.get(clientId)?.queue.add({ ...packet });
    return DONE;
  }

  outgoingEnqueueCombi(
    wanted: readonly { readonly clientId: string; readonly qos: number }[],
    packet: StoredPacket,
  ): Settled<undefined> {
    if (wanted.length === 0) return DONE;
    // A copy: the payload may be a part of a much larger chunk.
    const payload = Buffer.from(packet.payload ?? []);
    for (const { clientId, qos } of wanted) {
      const kept = { ...packet, payload, qos: Math.min(qos, packet.qos ?? 0), retain: false };
      this.#sessions.get(clientId)?.queue.add(kept);
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
    // Without an identifier it is a message that is not delivered: the client's own, or a repetition, which stays.
    if (packet.nl === true && packet.clientId === id) queue?.drop(packet.brokerCounter ?? 0);
    return new Settled(undefined);
  }

  outgoingStream({ id }: ClientId): Readable {
    const packets = this.#sessions.get(id)?.queue.values() ?? [];
    // What was sent before is sent again as a duplicate [MQTT-3.3.1-1].
    return Readable.from(packets.map((packet) => ({ ...packet, dup: packet.messageId !== undefined })));
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
