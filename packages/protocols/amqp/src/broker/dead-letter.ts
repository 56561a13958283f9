import type { Field, FieldTable } from '../wire/field-table.js';
import { BrokerMessage } from './broker-message.js';
import type { BrokerQueue } from './queue-types.js';
import type { DeadReason } from './queue-types.js';

/** An entry of `x-death`: how often a message has left a queue for a reason. */
type Death = Map<string, Field>;

/**
 * The message as a dead letter: its routing key replaced when the queue says so, `x-death` and `x-first-death-*` set,
 * its own expiration taken away, as RabbitMQ does.
 *
 * @param now - virtual time in ms
 */
export function makeDeadLetter(
  message: BrokerMessage,
  queue: BrokerQueue,
  reason: DeadReason,
  now: number,
): BrokerMessage {
  const { deadLetterExchange = '', deadLetterRoutingKey } = queue.settings;
  const { expiration, headers, ...properties } = message.properties;
  const extended = new Map<string, Field>(headers);
  extended.set('x-death', addDeath(message, queue.name, reason, now, expiration));
  if (!extended.has('x-first-death-reason')) {
    extended.set('x-first-death-exchange', message.exchange);
    extended.set('x-first-death-queue', queue.name);
    extended.set('x-first-death-reason', reason);
  }
  return new BrokerMessage(
    deadLetterExchange,
    deadLetterRoutingKey ?? message.routingKey,
    { ...properties, headers: extended },
    message.body,
  );
}

/** A message that has left so many queues as a dead letter goes no further. */
const MAX_DEATHS = 200;

/** Whether a message has been a dead letter too often. */
export function hasDiedTooOften(message: BrokerMessage): boolean {
  return deathsOf(message).length >= MAX_DEATHS;
}

/** Whether a dead letter was in this queue before and nobody has rejected it since: it would go round for ever. */
export function goesRound(letter: BrokerMessage, queueName: string): boolean {
  const deaths = deathsOf(letter);
  const at = deaths.findIndex((death) => death.get('queue') === queueName);
  return at >= 0 && deaths.slice(0, at + 1).every((death) => death.get('reason') !== 'rejected');
}

function deathsOf(message: BrokerMessage): readonly FieldTable[] {
  const deaths = message.properties.headers?.get('x-death');
  return Array.isArray(deaths)
    ? (deaths as readonly Field[]).filter((death): death is FieldTable => death instanceof Map)
    : [];
}

/** The list of deaths with this one first. */
function addDeath(
  message: BrokerMessage,
  queue: string,
  reason: DeadReason,
  now: number,
  expiration: string | undefined,
): readonly Field[] {
  const deaths = deathsOf(message);
  const isSame = (death: FieldTable): boolean =>
    death.get('queue') === queue && death.get('reason') === reason;
  const known = deaths.find(isSame);
  const others = deaths.filter((death) => !isSame(death));
  if (known !== undefined) {
    const again: Death = new Map(known);
    again.set('count', Number(known.get('count')) + 1);
    return [again, ...others];
  }
  const death: Death = new Map<string, Field>([
    ['count', 1],
    ['reason', reason],
    ['queue', queue],
    ['time', { timestamp: { seconds: Math.floor(now / 1000) } }],
    ['exchange', message.exchange],
    ['routing-keys', [message.routingKey]],
  ]);
  if (expiration !== undefined) death.set('original-expiration', expiration);
  return [death, ...others];
}
