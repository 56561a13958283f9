import {
  asyncapiContract,
  describeConformance,
  type ListenAddress,
  type ProbeClient,
} from '@backlot/conformance';
import amqplib, { type ConfirmChannel } from 'amqplib';
import { amqp } from '../src/index.js';

const DIRECT_REPLY = 'amq.rabbitmq.reply-to';
/** A queue for answers, whose name a contract knows. */
const ANSWERS = 'answers';

const answered = (key: string, body: string): Record<string, unknown> => ({
  routing_key: key,
  response: { routing_key: ANSWERS, body },
});

describeConformance(amqp, {
  imports: [
    {
      format: 'rabbitmq',
      name: 'definitions.json',
      content: JSON.stringify({
        rabbit_version: '3.13.0',
        users: [{ name: 'guest', password_hash: 'x' }],
        vhosts: [{ name: '/' }],
        exchanges: [
          {
            name: 'orders',
            vhost: '/',
            type: 'topic',
            durable: true,
            auto_delete: false,
            internal: false,
            arguments: {},
          },
        ],
        queues: [
          {
            name: 'audit',
            vhost: '/',
            durable: true,
            auto_delete: false,
            arguments: { 'x-message-ttl': 60000, 'x-queue-type': 'quorum' },
          },
        ],
        bindings: [
          {
            source: 'orders',
            vhost: '/',
            destination: 'audit',
            destination_type: 'queue',
            routing_key: 'order.#',
            arguments: {},
          },
        ],
      }),
    },
  ],
  mocks: {
    simple: { routing_key: 'rpc.simple', response: { body: 'one' } },
    changed: { routing_key: 'rpc.simple', response: { body: 'two' } },
    other: { routing_key: 'rpc.other', response: { body: 'three' } },
    template: { routing_key: 'rpc.simple', response: { body: '{{upper request.body}}' } },
    bad: [
      { routing_key: 're:(', response: { body: 'a' } },
      { body: { contains: 5 } },
      { response: { body: '{{#open}}' } },
      { response: { body: 'a', properties: { priority: 256 } } },
      { response: { body: 'a', properties: { expiration: 'soon' } } },
      { response: { body: 'a', routing_key: 'a'.repeat(256) } },
      { routing_key: '{a}.{a}', response: { body: 'a' } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'NO_ROUTE',
    fault: 'nacked',
  },
  logged: { method: 'PUBLISH', path: 'rpc.simple' },
  captured: '"routing_key":"rpc.simple"',
  login: {
    attempt,
    refused:
      'ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details see the broker logfile.',
    custom: {
      fault: { reply_code: 530, reply_text: 'not today' },
      refused: 'NOT_ALLOWED - not today',
    },
  },
  contract: {
    ...asyncapiContract({ 'rpc.simple': { clients: ['simple'] }, [ANSWERS]: { mocks: ['one'] } }),
    mocks: {
      simple: answered('rpc.simple', 'one'),
      changed: answered('rpc.simple', 'two'),
      other: answered('rpc.other', 'three'),
    },
    connect: (address) => connect(address, '%2F', ANSWERS),
    refused: 'nacked',
    sendLong,
  },
  connect: (address, space) => connect(address, space),
  namesSpaces: true,
});

/** Logs in by amqplib, in its default settings. */
async function attempt({ host, port }: ListenAddress): Promise<string> {
  try {
    const client = await amqplib.connect(`amqp://${host}:${port}`);
    await client.close();
    return 'accepted';
  } catch (error) {
    return /with message "(.*)"/.exec(String(error))?.[1] ?? String(error);
  }
}

async function sendLong({ host, port }: ListenAddress): Promise<void> {
  const client = await amqplib.connect(`amqp://${host}:${port}`);
  const channel = await client.createConfirmChannel();
  channel.publish('', 'rpc.simple', Buffer.alloc(300_000, 'x'));
  await channel.waitForConfirms();
  await client.close();
}

/**
 * Calls over amqplib; mandatory, so that a message that nothing takes comes back.
 *
 * @param replies - the queue for the answers; by direct reply when absent
 */
async function connect(
  { host, port }: ListenAddress,
  space = '%2F',
  replies = DIRECT_REPLY,
): Promise<ProbeClient> {
  const client = await amqplib.connect(`amqp://${host}:${port}/${space}`);
  client.on('error', () => undefined);
  const channel: ConfirmChannel = await client.createConfirmChannel();
  channel.on('error', () => undefined);
  const answers: ((answer: string) => void)[] = [];
  const answer = (text: string): void => answers.shift()?.(text);
  client.on('close', () => answer('closed'));
  channel.on('return', () => answer('NO_ROUTE'));
  if (replies !== DIRECT_REPLY) await channel.assertQueue(replies);
  await channel.consume(replies, (message) => answer(message?.content.toString() ?? 'cancelled'), {
    noAck: true,
  });
  return {
    send: (message) =>
      new Promise((resolve) => {
        answers.push(resolve);
        channel.publish(
          '',
          `rpc.${message}`,
          Buffer.from(message),
          { replyTo: replies, mandatory: true },
          (error) => {
            if (error !== null && error !== undefined) answer('nacked');
          },
        );
      }),
    close: () => client.close().catch(() => undefined),
  };
}
