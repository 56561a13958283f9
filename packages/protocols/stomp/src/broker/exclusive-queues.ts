import { show, StompError } from '../wire/stomp-error.js';
import { QUEUE, REPLY } from './destination.js';

/** What begins the name of a queue that the server has named, as RabbitMQ has it. */
const NAMED_BY_SERVER = 'amq.gen-';

/** The queues that single sessions have for themselves: others may send to them and not receive from them. */
export class ExclusiveQueues {
  /** By their names, `/queue/amq.gen-...`. */
  readonly #owners = new Map<string, object>();

  /** Makes the name of a queue for a session. */
  add(owner: object, id: string): string {
    const name = `${QUEUE}${NAMED_BY_SERVER}${id}`;
    this.#owners.set(name, owner);
    return name;
  }

  has(name: string): boolean {
    return this.#owners.has(name);
  }

  delete(name: string): void {
    this.#owners.delete(name);
  }

  /**
   * Where a message with this destination goes; nowhere when it is the queue of a session that has ended.
   *
   * @throws StompError for such a queue by its own name
   */
  route(destination: string): string | undefined {
    if (destination.startsWith(QUEUE + NAMED_BY_SERVER))
      throw new StompError(
        'access_refused',
        `${show(destination)} begins with what is reserved for temporary queues; they are ${REPLY}${NAMED_BY_SERVER}...`,
      );
    if (!destination.startsWith(REPLY)) return destination;
    const name = QUEUE + destination.slice(REPLY.length);
    return this.#owners.has(name) ? name : undefined;
  }

  /**
   * The queue that a session may receive from by this destination.
   *
   * @throws StompError when it is another session's, or there is none
   */
  open(destination: string, owner: object): string {
    const name = this.route(destination);
    if (name === undefined) throw new StompError('not_found', `there is no queue ${show(destination)}`);
    const found = this.#owners.get(name);
    if (found === undefined || found === owner) return name;
    throw new StompError(
      'resource_locked',
      `the queue ${show(destination)} belongs to another session, which alone receives from it`,
    );
  }

  /** What others send to when they answer to a queue: `/reply-queue/amq.gen-...`. */
  static replyTo(name: string): string {
    return REPLY + name.slice(QUEUE.length);
  }
}
