import {
  asyncapiContract,
  describeConformance,
  type ListenAddress,
  type ProbeClient,
} from '@backlot/conformance';
import mqttClient, { type IClientOptions } from 'mqtt';
import { mqtt } from '../src/index.js';

/** What the broker under test was told by whom, and whether it has ended. */
const exchanges: {
  readonly ended: boolean;
  readonly message: { readonly clientId: string; readonly method: string };
}[] = [];

/** A mock that answers on a topic that a contract knows, where the client looks for the answer. */
const answered = (topic: string, payload: string): Record<string, unknown> => ({
  topic,
  response: { topic: `${topic}/response`, payload },
});

describeConformance(withExchanges(mqtt), {
  mocks: {
    simple: { topic: 'simple', response: { payload: 'one' } },
    changed: { topic: 'simple', response: { payload: 'two' } },
    other: { topic: 'other', response: { payload: 'three' } },
    template: { topic: 'simple', response: { payload: '{{upper request.topic}}' } },
    bad: [
      { topic: 'a/#/b', response: { payload: 'x' } },
      { topic: 'a+', response: { payload: 'x' } },
      { topic: 'a', response: { topic: 'b/#', payload: 'x' } },
      { topic: 'a', response: { payload: 'x', qos: 3 } },
      { topic: 'a', response: { payload: 'x', delay: 'soon' } },
      { topic: 'a', payload: 're:(', response: {} },
      { payload: 'a' },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'nothing',
    fault: 'nothing',
  },
  logged: { method: 'PUBLISH', path: 'simple' },
  captured: '"topic":"simple"',
  login: { attempt, refused: '135', custom: { fault: { reason_code: 151 }, refused: '151' } },
  contract: {
    ...asyncapiContract({ simple: { clients: ['simple'] }, 'simple/response': { mocks: ['one'] } }),
    mocks: {
      simple: answered('simple', 'one'),
      changed: answered('simple', 'two'),
      other: answered('other', 'three'),
    },
    // Clients before MQTT 5 are not told what is refused.
    connect: (address) => connect(address, { protocolVersion: 5 }),
    refused: 'reason code 144',
    sendLong,
  },
  connect: (address, space) =>
    connect(address, space === undefined ? {} : { username: space, password: 'any' }),
  namesSpaces: true,
});

async function attempt({ host, port }: ListenAddress): Promise<string> {
  const client = mqttClient.connect(`mqtt://${host}:${port}`, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    username: 'ann',
  });
  try {
    return await new Promise<string>((resolve) => {
      client.on('packetreceive', (packet) => {
        if (packet.cmd === 'connack')
          resolve(packet.reasonCode === 0 ? 'accepted' : String(packet.reasonCode));
      });
      client.on('error', () => undefined);
      client.on('close', () => resolve('closed'));
    });
  } finally {
    await client.endAsync(true);
  }
}

/** No answer cannot be seen on the wire, so the exchanges are looked at: one that has ended has no answer any more. */
function withExchanges(protocol: typeof mqtt): typeof mqtt {
  return {
    ...protocol,
    create: (context) =>
      protocol.create(
        new Proxy(context as object, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name);
            if (name !== 'receive' || typeof value !== 'function') return value;
            return (...values: unknown[]) => {
              const exchange = Reflect.apply(value, target, values) as (typeof exchanges)[number];
              exchanges.push(exchange);
              return exchange;
            };
          },
        }),
      ),
  };
}

async function sendLong({ host, port }: ListenAddress): Promise<void> {
  const client = await mqttClient.connectAsync(`mqtt://${host}:${port}`, { reconnectPeriod: 0 });
  await client.publishAsync('simple', Buffer.alloc(300_000, 'x'), { qos: 1 });
  await client.endAsync();
}

/** Publishes, and waits for what comes on the topic of the answer. */
async function connect({ host, port }: ListenAddress, options: IClientOptions): Promise<ProbeClient> {
  const client = mqttClient.connect(`mqtt://${host}:${port}`, { reconnectPeriod: 0, ...options });
  const answers = new Map<string, string>();
  const own = (): typeof exchanges =>
    exchanges.filter(
      ({ message }) => message.method === 'PUBLISH' && message.clientId === client.options.clientId,
    );
  let pings = 0;
  let isClosed = false;
  client.on('error', () => undefined);
  client.on('close', () => {
    isClosed = true;
  });
  client.on('packetreceive', ({ cmd }) => {
    if (cmd === 'pingresp') pings += 1;
  });
  client.on('message', (topic, payload) => answers.set(topic, payload.toString('utf8')));
  await until(() => client.connected || isClosed);
  if (isClosed) return { send: () => Promise.resolve('closed'), close: () => undefined };
  await client.subscribeAsync(['simple/response', 'other/response', 'unmatched/response']);
  return {
    async send(message) {
      const topic = `${message}/response`;
      answers.delete(topic);
      const before = own().length;
      if (options.protocolVersion === 5)
        client.publish(message, message, { qos: 1 }, (error) => {
          const { code } = (error ?? {}) as { readonly code?: number };
          if (code !== undefined) answers.set(topic, `reason code ${code}`);
        });
      else client.publish(message, message);
      const isOver = (): boolean => own().length > before && own().every(({ ended }) => ended);
      while (!answers.has(topic) && !isClosed && !isOver())
        await new Promise((resolve) => setImmediate(resolve));
      // An answer comes before that to a ping.
      const last = pings;
      if (!isClosed) client.sendPing();
      await until(() => answers.has(topic) || isClosed || pings > last);
      return answers.get(topic) ?? (isClosed ? 'closed' : 'nothing');
    },
    close: () => {
      client.stream.destroy();
      return client.endAsync(true);
    },
  };

  function until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        client.off('packetreceive', later).off('close', later);
        resolve();
      };
      // The client's own listeners for the packet come first.
      const later = (): void => void setImmediate(check);
      client.on('packetreceive', later).on('close', later);
    });
  }
}
