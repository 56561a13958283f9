import type { Broker } from '../broker/broker.js';
import { TEMPORARY } from '../broker/destination.js';
import { ExclusiveQueues } from '../broker/exclusive-queues.js';
import type { Headers } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';

const MAX_QUEUES = 1_000;

/** The queues that a session has for itself, which it calls `/temp-queue/<name>`. */
export class TemporaryQueues {
  readonly #broker: Broker;
  readonly #newId: () => string;
  /** The queues of the broker by the destinations of the session. */
  readonly #queues = new Map<string, string>();

  constructor(broker: Broker, newId: () => string) {
    this.#broker = broker;
    this.#newId = newId;
  }

  /**
   * Where a message with this destination goes; nowhere when it is the queue of a session that has ended.
   *
   * @throws StompError for a temporary queue whose name is not valid, or that is one too many
   */
  route(destination: string): string | undefined {
    if (destination.startsWith(TEMPORARY)) return this.#queueOf(destination);
    return this.#broker.exclusive.route(destination);
  }

  /**
   * Where the session may receive messages by this destination.
   *
   * @throws StompError also for the queue of another session
   */
  open(destination: string): string {
    if (destination.startsWith(TEMPORARY)) return this.#queueOf(destination);
    return this.#broker.exclusive.open(destination, this);
  }

  /** The headers of a message as its receivers get them: they see what they can send their answers to. */
  exported(headers: Headers): Headers {
    const replyTo = headers['reply-to'];
    if (replyTo?.startsWith(TEMPORARY) !== true) return headers;
    const exported = Object.assign(Object.create(null) as Record<string, string>, headers);
    exported['reply-to'] = ExclusiveQueues.replyTo(this.#queueOf(replyTo));
    return exported;
  }

  /** The session is over. */
  dropAll(): void {
    for (const name of this.#queues.values()) this.#broker.drop(name);
    this.#queues.clear();
  }

  #queueOf(destination: string): string {
    const known = this.#queues.get(destination);
    if (known !== undefined) return known;
    const name = destination.slice(TEMPORARY.length);
    if (name === '' || name.includes('/'))
      throw new StompError(
        'bad destination',
        `${show(destination)} names no temporary queue; it must be ${TEMPORARY}<name>, and the name has no slash`,
      );
    if (this.#queues.size >= MAX_QUEUES)
      throw new StompError('too many queues', `a session has ${MAX_QUEUES} temporary queues at most`);
    const queue = this.#broker.exclusive.add(this, this.#newId());
    this.#queues.set(destination, queue);
    return queue;
  }
}
