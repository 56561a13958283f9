const QUEUES: readonly string[] = ['/queue/', '/temp-queue/', '/amq/queue/'];

/**
 * Whether a destination is a queue. STOMP leaves the meaning of names to the server: these beginnings are queues as in
 * ActiveMQ and RabbitMQ, and every other name is a topic, so that names of any framework work.
 */
export function isQueue(destination: string): boolean {
  return QUEUES.some((start) => destination.startsWith(start));
}
