import { encodeIdentifier } from '../wire/encode-properties.js';
import type { Emitted } from './emitter.js';
import type { Envelope } from './envelope.js';
import type { MessageQueue } from './message-queue.js';
import type { SharedMember, SharedOptions } from './shared-subscriptions.js';

/** By which broker shared messages seem to come, so that they never pass for repetitions of others. */
export const SHARED_ORIGIN = '$share';

const NO_BYTES = Buffer.alloc(0);

/** Numbers of kept messages; those of aedes are positive. */
let lastNumber = 0;

/** A client that is away, as a member of the groups of its session: its messages are kept. */
export class AwayMember implements SharedMember {
  readonly isAway = true;
  readonly #queue: () => MessageQueue | undefined;
  readonly #envelope: Envelope;

  /** @param queue - where its messages are kept, while there is a session */
  constructor(queue: () => MessageQueue | undefined, envelope: Envelope) {
    this.#queue = queue;
    this.#envelope = envelope;
  }

  takeShared({ topic, payload, qos = 0 }: Emitted, options: SharedOptions, done: () => void): boolean {
    const queue = this.#queue();
    if (queue === undefined) return false;
    // A copy: the payload may be a part of a much larger chunk.
    const kept = addressShared(this.#envelope, Buffer.from(payload ?? NO_BYTES), options);
    lastNumber -= 1;
    queue.add({
      cmd: 'publish',
      brokerId: SHARED_ORIGIN,
      brokerCounter: lastNumber,
      topic,
      payload: kept,
      qos: Math.min(qos, options.qos),
      retain: false,
      dup: false,
      expiresAt: this.#envelope.expiryAt(kept),
    });
    done();
    return true;
  }
}

/** The payload of a shared message for the member that gets it. */
export function addressShared(envelope: Envelope, payload: Buffer, { identifier }: SharedOptions): Buffer {
  return identifier === undefined ? payload : envelope.address(payload, encodeIdentifier(identifier), false);
}
