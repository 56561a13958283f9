import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import amqplib, { type ConfirmChannel } from 'amqplib';
import { amqp } from '../src/index.js';

const DIRECT_REPLY = 'amq.rabbitmq.reply-to';

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
  connect,
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

/** Calls by direct reply over amqplib; mandatory, so that a message that nothing takes comes back. */
async function connect({ host, port }: ListenAddress, space = '%2F'): Promise<ProbeClient> {
  const client = await amqplib.connect(`amqp://${host}:${port}/${space}`);
  client.on('error', () => undefined);
  const channel: ConfirmChannel = await client.createConfirmChannel();
  channel.on('error', () => undefined);
  const answers: ((answer: string) => void)[] = [];
  const answer = (text: string): void => answers.shift()?.(text);
  client.on('close', () => answer('closed'));
  channel.on('return', () => answer('NO_ROUTE'));
  await channel.consume(DIRECT_REPLY, (message) => answer(message?.content.toString() ?? 'cancelled'), {
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
          { replyTo: DIRECT_REPLY, mandatory: true },
          (error) => {
            if (error !== null && error !== undefined) answer('nacked');
          },
        );
      }),
    close: () => client.close().catch(() => undefined),
  };
}
