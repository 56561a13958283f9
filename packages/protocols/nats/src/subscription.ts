import { SUBJECT_START } from './wire/nats-framer.js';
import type { Outgoing } from './wire/outgoing.js';

/** The client of a subscription, as far as deliveries need it. */
export interface Subscriber {
  readonly outgoing: Outgoing;
  /** Whether it takes headers; else they are left out. */
  readonly takesHeaders: boolean;
  /** Whether it gets its own messages. */
  readonly wantsEcho: boolean;
  /** The subscription has had as many messages as it may. */
  finished(subscription: Subscription): void;
}

/** A message on its way to subscribers, in the form of the wire. */
export interface Delivery {
  readonly subject: string;
  /** Empty when there is none. */
  readonly reply: string;
  readonly headerBytes: Buffer | undefined;
  readonly payload: Buffer;
  /** The message in the form a client sent it in, when it has that and no headers: it is passed on as it stands. */
  readonly frame?: Buffer | undefined;
  /** Where in the frame the subject ends. */
  readonly subjectEnd?: number;
}

/** What one SUB asked for. */
export class Subscription {
  readonly client: Subscriber;
  readonly subject: string;
  /** Empty when it is in no queue group. */
  readonly queue: string;
  readonly sid: string;
  /** It ends after so many messages; 0: never. */
  max = 0;
  delivered = 0;
  /** Whether it has ended. */
  isOver = false;

  constructor(client: Subscriber, subject: string, queue: string, sid: string) {
    this.client = client;
    this.subject = subject;
    this.queue = queue;
    this.sid = sid;
  }

  /** Sends a message. Says whether it was sent: not when the subscription has ended meanwhile. */
  deliver(delivery: Delivery): boolean {
    if (this.isOver) return false;
    const { outgoing } = this.client;
    const { frame, subjectEnd } = delivery;
    if (frame !== undefined && subjectEnd !== undefined) {
      outgoing.sendFrame(this.sid, frame, SUBJECT_START, subjectEnd);
    } else this.#deliverParts(outgoing, delivery);
    this.delivered += 1;
    if (this.delivered === this.max) this.client.finished(this);
    return true;
  }

  #deliverParts(outgoing: Outgoing, { subject, reply, headerBytes, payload }: Delivery): void {
    const to = reply === '' ? `${subject} ${this.sid} ` : `${subject} ${this.sid} ${reply} `;
    if (headerBytes === undefined || !this.client.takesHeaders) {
      outgoing.sendMessage(`MSG ${to}${payload.length}\r\n`, undefined, payload);
    } else {
      const { length } = headerBytes;
      outgoing.sendMessage(`HMSG ${to}${length} ${length + payload.length}\r\n`, headerBytes, payload);
    }
  }
}
