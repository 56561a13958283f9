const QUEUES: readonly string[] = ['/queue/', '/temp-queue/', '/amq/queue/', '/reply-queue/'];

/** What the name of a queue begins with in destinations. */
export const QUEUE = '/queue/';
/** A queue of the session that names it. */
export const TEMPORARY = '/temp-queue/';
/** Such a queue as others name it, whom a message has told its name. */
export const REPLY = '/reply-queue/';

/**
 * Whether a destination is a queue. STOMP leaves the meaning of names to the server: these beginnings are queues as in
 * ActiveMQ and RabbitMQ, and every other name is a topic, so that names of any framework work.
 */
export function isQueue(destination: string): boolean {
  return QUEUES.some((start) => destination.startsWith(start));
}
