import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { Client, Versions, type IFrame, type IMessage } from '@stomp/stompjs';
import { PYTHON, eventually, itWithTool, runTool } from '@backlot/conformance';
import stompit, { type Client as StompitClient, type Message } from 'stompit';
import { connectStompjs, WAYS, withWebSocket } from './stompjs.js';
import { afterThis, startHost } from './support.js';

function receipt(client: Client, id: string): Promise<IFrame> {
  return new Promise((resolve) => client.watchForReceipt(id, resolve));
}

describe.each(WAYS)('stompjs over %s', (_name, config) => {
  it('subscribes, publishes, acknowledges, commits and leaves', async () => {
    const { port, host } = await startHost({
      mocks: [{ destination: '/queue/rpc', response: { body: '{"echo": {{body}}}' } }],
    });
    const client = await connectStompjs(config(port));
    expect(client.connectedVersion).toBe('1.2');
    const messages: IMessage[] = [];
    client.subscribe('/queue/work', (message) => messages.push(message), { ack: 'client-individual' });
    const answers: string[] = [];
    client.subscribe('/temp-queue/me', ({ body }) => answers.push(body));
    client.publish({ destination: '/queue/work', body: 'a:b\nc', headers: { 'x-odd': 'a:b\\ c\nd' } });
    client.publish({ destination: '/queue/work', binaryBody: new Uint8Array([0, 255, 10, 0]) });
    client.publish({ destination: '/queue/rpc', body: '1', headers: { 'reply-to': '/temp-queue/me' } });
    await eventually(() => messages.length === 2 && answers.length === 1);
    expect(messages[0]?.body).toBe('a:b\nc');
    expect(messages[0]?.headers['x-odd']).toBe('a:b\\ c\nd');
    expect([...(messages[1]?.binaryBody ?? [])]).toEqual([0, 255, 10, 0]);
    expect(answers).toEqual(['{"echo": 1}']);

    messages[0]?.ack();
    messages[1]?.nack();
    await eventually(() => messages.length === 3);
    expect(messages[2]?.headers['redelivered']).toBe('true');
    const transaction = client.begin();
    messages[2]?.ack({ transaction: transaction.id });
    client.publish({ destination: '/queue/work', body: 'tx', headers: { transaction: transaction.id } });
    transaction.commit();
    await eventually(() => messages.length === 4);
    const aborted = client.begin();
    client.publish({ destination: '/queue/work', body: 'never', headers: { transaction: aborted.id } });
    aborted.abort();
    const done = receipt(client, 'done');
    client.publish({ destination: '/topic/none', headers: { receipt: 'done' } });
    await done;
    expect(messages.map(({ body }) => body).at(-1)).toBe('tx');
    await client.deactivate();
    await eventually(() => host.kind('stomp').status()['connections'] === 0);
  });

  it.each(['1.1', '1.0'])('speaks %s', async (version) => {
    const { port } = await startHost();
    const client = await connectStompjs({ ...config(port), stompVersions: new Versions([version]) });
    expect(client.connectedVersion).toBe(version);
    const bodies: string[] = [];
    client.subscribe(
      '/queue/a',
      (message) => {
        bodies.push(message.body);
        message.ack();
      },
      { ack: 'client' },
    );
    client.publish({ destination: '/queue/a', body: 'hello' });
    await eventually(() => bodies.length === 1);
    const done = receipt(client, 'done');
    client.publish({ destination: '/topic/none', headers: { receipt: 'done' } });
    await done;
  });

  it('keeps its heart-beats going', async () => {
    const { port } = await startHost();
    const client = new Client({
      ...config(port),
      heartbeatIncoming: 80,
      heartbeatOutgoing: 80,
      reconnectDelay: 0,
    });
    withWebSocket();
    afterThis(() => client.deactivate({ force: true }));
    let beats = 0;
    client.onHeartbeatReceived = () => (beats += 1);
    client.activate();
    await eventually(() => beats >= 6);
    expect(client.connected).toBe(true);
  });

  it('is told what is wrong', async () => {
    const { port, host } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    await expect(connectStompjs({ ...config(port), reconnectDelay: 0 })).rejects.toThrow('login required');
    const client = await connectStompjs({
      ...config(port),
      connectHeaders: { login: 'ann', passcode: 'secret' },
      reconnectDelay: 0,
    });
    const errors: IFrame[] = [];
    client.onStompError = (frame) => errors.push(frame);
    let isClosed = false;
    client.onWebSocketClose = () => (isClosed = true);
    host.faults.set('stomp', { message: 'out of order' });
    client.publish({ destination: '/queue/a', body: 'x' });
    await eventually(() => isClosed);
    expect(errors[0]?.headers['message']).toBe('out of order');
  });

  it('sends and receives large messages', async () => {
    const { port } = await startHost();
    const client = await connectStompjs({ ...config(port), splitLargeFrames: true });
    const bodies: string[] = [];
    client.subscribe('/queue/a', ({ body }) => bodies.push(body));
    const body = 'é'.repeat(2_000_000);
    for (let n = 0; n < 3; n += 1) client.publish({ destination: '/queue/a', body });
    await eventually(() => bodies.length === 3);
    expect(bodies.every((each) => each === body)).toBe(true);
  });
});

describe('stompit', () => {
  const connectStompit = (port: number, headers: object = { host: '/' }): Promise<StompitClient> =>
    new Promise((resolve, reject) => {
      stompit.connect({ host: '127.0.0.1', port, connectHeaders: headers }, (error, client) => {
        if (error) return reject(error);
        afterThis(() => client.destroy());
        client.on('error', () => undefined);
        resolve(client);
      });
    });
  const bodyOf = (message: Message): Promise<string> =>
    new Promise((resolve, reject) =>
      message.readString('utf-8', (error, text) => (error ? reject(error) : resolve(text ?? ''))),
    );

  it('works through its whole interface', async () => {
    const { port, host } = await startHost();
    const client = await connectStompit(port, { host: '/', 'heart-beat': '100,100' });
    const got: string[] = [];
    const messages: Message[] = [];
    const subscription = client.subscribe(
      { destination: '/queue/a', ack: 'client-individual' },
      (error, message) => {
        if (error) return;
        messages.push(message);
        void bodyOf(message).then((body) => got.push(body));
      },
    );
    const send = (body: string, more: object = {}): Promise<void> =>
      new Promise((resolve) => {
        const frame = client.send(
          { destination: '/queue/a', 'content-type': 'text/plain', 'x-odd': 'a:b\\c\nd', ...more },
          { onReceipt: () => resolve() },
        );
        frame.end(body);
      });
    await send('one');
    await send('two');
    await eventually(() => got.length === 2);
    expect(got).toEqual(['one', 'two']);
    expect(messages[0]?.headers['x-odd']).toBe('a:b\\c\nd');
    client.ack(messages[0] as Message);
    client.nack(messages[1] as Message);
    await eventually(() => got.length === 3);
    expect(messages[2]?.headers['redelivered']).toBe('true');
    client.ack(messages[2] as Message);
    const transaction = client.begin();
    transaction.send({ destination: '/queue/a' }).end('in a transaction');
    transaction.commit();
    await eventually(() => got.length === 4);
    expect(got[3]).toBe('in a transaction');
    const aborted = client.begin();
    aborted.send({ destination: '/queue/a' }).end('never');
    aborted.abort();
    subscription.unsubscribe();
    await new Promise<void>((resolve, reject) =>
      client.disconnect((error) => (error ? reject(error) : resolve())),
    );
    await eventually(() => host.kind('stomp').status()['connections'] === 0);
    expect(host.kind('stomp').captures?.values()).toHaveLength(3);
  });

  it('gets the ERROR of a login that is refused', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    await expect(connectStompit(port, { host: '/', login: 'ann', passcode: 'no' })).rejects.toThrow(
      'login refused',
    );
    await connectStompit(port, { host: '/', login: 'ann', passcode: 'secret' });
  });
});

describe('python3-stomp', () => {
  const script = fileURLToPath(new URL('./client.py', import.meta.url));
  for (const version of ['1.0', '1.1', '1.2']) {
    itWithTool('python3:stomp', `works in ${version}`, async () => {
      const { port, host } = await startHost({
        mocks: [
          {
            destination: '/queue/ask',
            response: { destination: '/topic/answers', body: 'answer to {{body}}' },
          },
        ],
      });
      const { code, out, err } = await runTool(PYTHON, [script, String(port), version]);
      expect(err).toBe('');
      expect(JSON.parse(out)).toEqual({
        queue: ['one', 'two', 'two again'],
        answers: ['answer to ping'],
        heartbeats: version !== '1.0',
        receipts: true,
        error: 'missing header',
      });
      expect(code).toBe(0);
      await eventually(() => host.kind('stomp').status()['connections'] === 0);
    });
  }
});
