import { describe, expect } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

describe('amqp-tools', () => {
  itWithTool('amqp-publish', 'declare, publish, get, consume and delete', async () => {
    const { url, host } = await startHost();
    const run = (tool: string, ...args: string[]): ReturnType<typeof runTool> =>
      runTool(tool, [`--url=${url}`, ...args]);
    expect(await run('amqp-declare-queue', '-q', 'jobs', '-d')).toEqual({ code: 0, out: 'jobs\n', err: '' });
    for (const body of ['one', 'two', 'three']) {
      const published = await run('amqp-publish', '-r', 'jobs', '-b', body, '-C', 'text/plain', '-p');
      expect(published).toEqual({ code: 0, out: '', err: '' });
    }
    expect(await run('amqp-get', '-q', 'jobs')).toEqual({ code: 0, out: 'one', err: '' });
    expect(await run('amqp-consume', '-q', 'jobs', '-c', '2', '-p', '1', 'cat')).toMatchObject({
      code: 0,
      out: 'twothree',
    });
    expect((await run('amqp-get', '-q', 'jobs')).code).toBe(2);
    expect(await run('amqp-delete-queue', '-q', 'jobs')).toEqual({ code: 0, out: '0\n', err: '' });
    const missing = await run('amqp-get', '-q', 'jobs');
    expect(missing.code).toBe(1);
    expect(missing.err).toContain("NOT_FOUND - no queue 'jobs' in vhost '/'");
    expect(host.kind('amqp').captures?.values()).toMatchObject([
      {
        exchange: '',
        routing_key: 'jobs',
        body: 'one',
        properties: { content_type: 'text/plain', delivery_mode: 2 },
      },
      { body: 'two' },
      { body: 'three' },
    ]);
  });

  itWithTool('amqp-consume', 'consume from an exchange by a queue of their own', async () => {
    const { url, host } = await startHost({ exchanges: [{ name: 'news', type: 'topic' }] });
    const consumed = runTool('amqp-consume', [`--url=${url}`, '-e', 'news', '-r', 'uk.#', '-c', '1', 'cat']);
    const publish = (key: string): ReturnType<typeof runTool> =>
      runTool('amqp-publish', [`--url=${url}`, '-e', 'news', '-r', key, '-b', key]);
    let isDone = false;
    void consumed.then(() => (isDone = true));
    while (!isDone) {
      await publish('fr.paris');
      await publish('uk.london');
    }
    expect((await consumed).out).toBe('uk.london');
    await eventually(() => host.kind('amqp').status()['connections'] === 0);
  });
});

const SCRIPT = `
import sys, pika
url, what = sys.argv[1], sys.argv[2]
connection = pika.BlockingConnection(pika.URLParameters(url))
channel = connection.channel()

def basics():
    channel.exchange_declare('logs', 'fanout')
    queue = channel.queue_declare('', exclusive=True).method.queue
    channel.queue_bind(queue, 'logs')
    channel.confirm_delivery()
    channel.basic_publish('logs', 'k', b'hello', pika.BasicProperties(headers={'n': 1}), mandatory=True)
    method, properties, body = channel.basic_get(queue)
    print(method.exchange, method.routing_key, properties.headers, body.decode())
    channel.basic_nack(method.delivery_tag, requeue=True)
    channel.basic_qos(prefetch_count=1)
    for method, properties, body in channel.consume(queue, inactivity_timeout=5):
        print(method.redelivered, body.decode())
        channel.basic_ack(method.delivery_tag)
        break
    channel.cancel()
    try:
        channel.basic_publish('', 'nobody', b'lost', mandatory=True)
    except pika.exceptions.UnroutableError as error:
        print('unroutable', error.messages[0].body.decode())
    try:
        channel.queue_declare('missing', passive=True)
    except pika.exceptions.ChannelClosedByBroker as error:
        print(error.reply_code, error.reply_text)

def tx():
    channel.queue_declare('t')
    channel.tx_select()
    channel.basic_publish('', 't', b'rolled back')
    channel.tx_rollback()
    channel.basic_publish('', 't', b'committed')
    print(channel.basic_get('t')[2])
    channel.tx_commit()
    method, _, body = channel.basic_get('t')
    print(body.decode())
    channel.basic_ack(method.delivery_tag)
    channel.tx_rollback()
    channel.basic_ack(method.delivery_tag)
    channel.tx_commit()
    print(channel.queue_declare('t', passive=True).method.message_count)

def rpc():
    answers = []
    channel.basic_consume('amq.rabbitmq.reply-to', lambda c, m, p, b: answers.append((p.correlation_id, b.decode())), auto_ack=True)
    channel.basic_publish('', 'rpc.price', b'{"sku": "a"}', pika.BasicProperties(reply_to='amq.rabbitmq.reply-to', correlation_id='17'))
    while not answers:
        connection.process_data_events(time_limit=5)
    print(answers)

def quorum():
    channel.queue_declare('dead')
    channel.queue_declare('jobs', durable=True, arguments={
        'x-queue-type': 'quorum', 'x-delivery-limit': 2,
        'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead'})
    channel.basic_publish('', 'jobs', b'poison')
    for method, properties, body in channel.consume('jobs', inactivity_timeout=0.2):
        if method is None:
            break
        print(properties.headers, method.redelivered, body.decode())
        channel.basic_nack(method.delivery_tag, requeue=True)
    channel.cancel()
    _, properties, body = channel.basic_get('dead', auto_ack=True)
    print(properties.headers['x-first-death-reason'], 'x-delivery-count' in properties.headers, body.decode())
    try:
        channel.queue_declare('log', durable=True, arguments={'x-queue-type': 'heap'})
    except pika.exceptions.ChannelClosedByBroker as error:
        print(error.reply_code, error.reply_text)
    again = connection.channel()
    again.basic_qos(prefetch_count=1, global_qos=True)
    try:
        again.basic_consume('jobs', print)
    except pika.exceptions.ConnectionClosedByBroker as error:
        print(error.reply_code, error.reply_text)
        sys.exit(0)

{'basics': basics, 'tx': tx, 'rpc': rpc, 'quorum': quorum}[what]()
connection.close()
`;

describe('pika', () => {
  const run = (url: string, what: string): ReturnType<typeof runTool> =>
    runTool(PYTHON, ['-c', SCRIPT, url, what]);

  itWithTool('python3:pika', 'binds, confirms, gets, consumes, and gets errors', async () => {
    const { url } = await startHost();
    expect(await run(url, 'basics')).toEqual({
      code: 0,
      out:
        "logs k {'n': 1} hello\nTrue hello\nunroutable lost\n" +
        "404 NOT_FOUND - no queue 'missing' in vhost '/'\n",
      err: '',
    });
  });

  itWithTool('python3:pika', 'commits and rolls back', async () => {
    const { url } = await startHost();
    expect(await run(url, 'tx')).toEqual({ code: 0, out: 'None\ncommitted\n0\n', err: '' });
  });

  itWithTool('python3:pika', 'counts what comes back to a quorum queue', async () => {
    const { url } = await startHost();
    expect(await run(url, 'quorum')).toEqual({
      code: 0,
      out:
        "{'x-delivery-count': 0} False poison\n{'x-delivery-count': 1} True poison\n" +
        "{'x-delivery-count': 2} True poison\ndelivery_limit False poison\n" +
        "406 PRECONDITION_FAILED - invalid arg 'x-queue-type' for queue 'log' in vhost '/': 'heap' is not one of classic, quorum, stream\n" +
        "540 NOT_IMPLEMENTED - queue 'jobs' in vhost '/' does not support global qos\n",
      err: '',
    });
  });

  itWithTool('python3:pika', 'calls a mock', async () => {
    const { url } = await startHost({
      mocks: [
        { routing_key: 'rpc.price', response: { body: '{"sku": "{{request.body.sku}}", "price": 5}' } },
      ],
    });
    expect(await run(url, 'rpc')).toEqual({
      code: 0,
      out: `[('17', '{"sku": "a", "price": 5}')]\n`,
      err: '',
    });
  });
});
