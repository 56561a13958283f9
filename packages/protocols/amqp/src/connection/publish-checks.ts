import type { Broker } from '../broker/broker.js';
import type { Exchange } from '../broker/exchange.js';
import { AmqpError } from '../wire/amqp-error.js';
import type { Properties } from '../wire/properties.js';
import { REPLY } from '../wire/reply-codes.js';
import type { PublishArguments } from './content.js';

const MILLISECONDS = /^\d{1,15}$/;

/**
 * The exchange that a message is published to (AMQP 0-9-1 reference, 1.8.3.7).
 *
 * @throws AmqpError 404 when there is none, 403 when clients may not publish to it, 540 for `immediate`
 */
export function findPublished(
  broker: Broker,
  { exchange, immediate }: PublishArguments,
  vhost: string,
): Exchange {
  if (immediate) throw new AmqpError(REPLY.notImplemented, 'immediate=true');
  const found = broker.registry.exchanges.get(exchange);
  if (found === undefined) {
    throw new AmqpError(REPLY.notFound, `no exchange '${exchange}' in vhost '${vhost}'`);
  }
  if (found.definition.internal) {
    throw new AmqpError(
      REPLY.accessRefused,
      `cannot publish to internal exchange '${exchange}' in vhost '${vhost}'`,
    );
  }
  return found;
}

/**
 * Checks the properties that mean something to the broker.
 *
 * @throws AmqpError 406
 */
export function checkProperties({ user_id: userId, expiration }: Properties, username: string): void {
  if (userId !== undefined && userId !== username) {
    throw new AmqpError(
      REPLY.preconditionFailed,
      `user_id property set to '${userId}' but authenticated user was '${username}'`,
    );
  }
  if (expiration !== undefined) checkExpiration(expiration);
}

/** @throws AmqpError 406 when it is not a whole number of milliseconds */
export function checkExpiration(expiration: string): void {
  if (!MILLISECONDS.test(expiration)) {
    throw new AmqpError(
      REPLY.preconditionFailed,
      `invalid expiration '${expiration}': it must be a whole number of milliseconds`,
    );
  }
}
