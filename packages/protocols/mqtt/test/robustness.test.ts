import { describe, expect, it } from '@jest/globals';
import { eventually, mulberry32, mutate, playSession } from '@backlot/conformance';
import { WebSocket } from 'ws';
import { checkWell, connect, CONNECT_4, CONNECT_5, RawClient, startHost } from './support.js';

/** What mqtt.js 5.16.0 sent: login, will, subscriptions, messages of every QoS, acknowledgements, a ping, goodbye. */
const SESSION_4 = Buffer.from(
  '102400044d51545404ee003c00087265636f726465640003772f740003627965000175000170820ecb830003612f2b020003622f2301300c0003' +
    '612f307061796c6f6164330e0003612f31cb847061796c6f61644002b4d9340e0003612f32cb857061796c6f61645002b4da6202cb857002b4' +
    'da320e0003622f63cb867061796c6f61644002b4dbc000a207cb870003622f23e000',
  'hex',
);
const SESSION_5 = Buffer.from(
  '103200044d51545405ee003c08110000003c21000a00087265636f7264656404030001780003772f740003627965000175000170820f5ae5000003' +
    '612f2b020003622f230130320003612f302503000a746578742f706c61696e26000161000162080003722f3109000163020000003c01017061' +
    '796c6f616433340003612f315ae62503000a746578742f706c61696e26000161000162080003722f3109000163020000003c01017061796c6f' +
    '616440028b1434340003612f325ae72503000a746578742f706c61696e26000161000162080003722f3109000163020000003c01017061796c' +
    '6f616450048b15000062045ae7000070048b150000320f0003622f635ae8007061796c6f616440028b16c000a2085ae9000003622f23e0020000',
  'hex',
);
const CONNACK = '20020000';
const CONNACK_5 = /^200e0000/;

/** The PUBLISH of a topic, QoS 0, with so many bytes behind it: one is the length of MQTT 5's properties. */
function publish(topic: Buffer, zeros = 0): Buffer {
  const length = 2 + topic.length + zeros;
  return Buffer.concat([
    Buffer.from([0x30, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]),
    Buffer.from([topic.length >> 8, topic.length & 0xff]),
    topic,
    Buffer.alloc(zeros),
  ]);
}

describe('bytes that MQTT does not allow end their connection', () => {
  const first: Readonly<Record<string, string>> = {
    'a length of 268 MB': '10ffffff7f',
    'a length of five bytes': '10ffffffffff',
    'a CONNECT of more than 64 KiB': '10818004',
    'a PUBLISH before CONNECT': '300300016178',
    'a PINGREQ before CONNECT': 'c000',
    'another protocol name': '100d00044d51545304020000000161',
    'the reserved flag': '100d00044d51545404030000000161',
    'options of a will without one': '100d00044d515454041a0000000161',
    'a will of QoS 3': '101200044d515454041e000000016100017700017878',
    'a password without a user name': '101000044d51545404420000000161000170',
    'a client id that is not UTF-8': '100d00044d515454040200000001ff',
    'a client id with U+0000': '100d00044d51545404020000000100',
    'lengths that lie': '100d00044d515454040200000fff61',
    'bytes behind its end': '100e00044d5154540402000000016100',
    'flags of another packet': '110d00044d51545404020000000161',
  };
  it.each(Object.entries(first))('%s', async (_name, bytes) => {
    const running = await startHost();
    const raw = await RawClient.connect(running.port);
    raw.send(bytes);
    expect(await raw.closes()).toBe('');
    await checkWell(running);
    expect(running.log).toEqual([]);
  });

  it.each([
    ['a property twice', '101800044d51545405020000' + '0a110000003c110000003c000161', '82'],
    ['an unknown property', '101000044d5154540502000002' + '7f00000161', '81'],
    ['lengths that lie', '100e00044d5154540502000000' + '0fff61', '81'],
    [
      'a will whose response topic has a wildcard',
      '101800044d5154540506000000000161' + '04080001230001610000',
      '82',
    ],
  ])('%s in a CONNECT of MQTT 5, which is answered', async (_name, bytes, code) => {
    const { port } = await startHost();
    const raw = await RawClient.connect(port);
    raw.send(bytes);
    expect(await raw.closes()).toBe(`200300${code}00`);
  });

  const later: Readonly<Record<string, readonly [string | Buffer, number]>> = {
    'a second CONNECT': [CONNECT_4, 0x82],
    'QoS 3': ['3603000161', 0x81],
    'a length of 268 MB after the CONNECT': ['30ffffff7f', 0x95],
    'an identifier of 0': ['32050001610000', 0x82],
    'a SUBSCRIBE without a filter': ['82020001', 0x82],
    'a SUBSCRIBE with flags of 0': ['800600010001610000', 0x81],
    'a filter of QoS 3': ['8206000100016103', 0x81],
    'an UNSUBSCRIBE without a filter': ['a2020001', 0x82],
    'a CONNACK': ['20020000', 0x82],
    'an AUTH': ['f000', 0x82],
    'a topic with a wildcard': ['30050003612f23', 0x90],
    'no topic': ['30020000', 0x90],
    'a topic that is not UTF-8': ['3004000261ff', 0x81],
    'a topic of 65,000 slashes': [publish(Buffer.alloc(65_000, '/')), 0x90],
    'a PUBACK that ends early': ['400100', 0x81],
  };
  it.each(Object.entries(later))('%s', async (_name, [bytes, code]) => {
    const running = await startHost();
    const old = await RawClient.connect(running.port);
    old.send(CONNECT_4, bytes);
    expect(await old.closes()).toBe(CONNACK);
    const raw = await RawClient.connect(running.port);
    raw.send(CONNECT_5);
    await raw.receives(16);
    // Between the two versions only properties differ; these packets have none, or end before them.
    raw.send(bytes === CONNECT_4 ? CONNECT_5 : withProperties(bytes));
    const answer = await raw.closes();
    expect(answer).toMatch(CONNACK_5);
    expect(answer.slice(-8)).toBe(`e002${code.toString(16)}00`);
    await checkWell(running);
    expect(running.log).toEqual([]);
  });

  /** Puts in what MQTT 5 has where a packet goes on behind its identifier. */
  function withProperties(bytes: string | Buffer): string | Buffer {
    if (typeof bytes !== 'string') return publish(Buffer.alloc(65_000, '/'), 1);
    const hex: Readonly<Record<string, string>> = {
      '82020001': '8203000100',
      '8206000100016103': '820700010000016103',
      a2020001: 'a203000100',
      '800600010001610000': '80070001000001610000',
      '20020000': '2003000000',
      '30050003612f23': '30060003612f2300',
      '30020000': '3003000000',
    };
    return hex[bytes] ?? bytes;
  }

  it('an unknown level of the protocol, which is answered', async () => {
    const { port } = await startHost();
    const raw = await RawClient.connect(port);
    raw.send('100d00044d51545406020000000161');
    expect(await raw.closes()).toBe('20020001');
  });

  it('3.1.1 without a client id that wants to keep its session, which is answered', async () => {
    const { port } = await startHost();
    const raw = await RawClient.connect(port);
    raw.send('100c00044d515454040000000000');
    expect(await raw.closes()).toBe('20020002');
  });
});

describe('filters that are none', () => {
  it('are refused one by one', async () => {
    const { port } = await startHost();
    const client = await connect(port, { protocolVersion: 5 });
    const filters = ['ok', 'a/$share', '$share//x', '$share/g', '$share/g/', '$share/+/x'];
    await expect(client.mqtt.subscribeAsync(filters)).rejects.toMatchObject({
      packet: { granted: [0, 0, 0x8f, 0x8f, 0x8f, 0x8f] },
    });
    expect(client.mqtt.connected).toBe(true);
    const raw = await RawClient.connect(port);
    raw.send(CONNECT_4, '820c0001' + '0003612b2301' + '00016200');
    expect(await raw.receives(10)).toBe(`${CONNACK}900400018000`);
  });
});

describe('connections', () => {
  it('of HTTP and TLS on the port end', async () => {
    const running = await startHost();
    const http = await RawClient.connect(running.port);
    http.send(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect(Buffer.from(await http.closes(), 'hex').toString()).toMatch(/^HTTP\/1\.1 426 /);
    for (const bytes of ['160301020001000' + '1fc0303', Buffer.from('POST / HTTP/1.1\r\n\r\n')]) {
      const raw = await RawClient.connect(running.port);
      raw.send(bytes);
      expect(await raw.closes()).toBe('');
    }
    await checkWell(running);
  });

  it('of WebSockets without the subprotocol, or with text, are refused', async () => {
    const running = await startHost();
    const url = `ws://127.0.0.1:${running.port}/mqtt`;
    const status = await new Promise((resolve) => {
      new WebSocket(url)
        .on('unexpected-response', (request, response) => {
          resolve(response.statusCode);
          request.destroy();
        })
        .on('error', () => undefined);
    });
    expect(status).toBe(400);
    const socket = new WebSocket(url, ['mqttv3.1', 'mqtt']);
    const code = await new Promise((resolve) => {
      socket.on('open', () => socket.send('text')).on('close', resolve);
    });
    expect([code, socket.protocol]).toEqual([1003, 'mqtt']);
    await checkWell(running);
  });

  it('over WebSocket may cut packets anywhere', async () => {
    const { port } = await startHost();
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, 'mqtt');
    const got: Buffer[] = [];
    socket.on('message', (data: Buffer) => got.push(data));
    await new Promise((resolve) => socket.once('open', resolve));
    const bytes = Buffer.from(`${CONNECT_4}c000c000`, 'hex');
    for (const byte of bytes) socket.send(Buffer.from([byte]));
    await eventually(() => Buffer.concat(got).toString('hex') === `${CONNACK}d000d000`);
    socket.terminate();
  });

  it('that are silent for one and a half times their keep-alive are cut, with the will', async () => {
    const { port } = await startHost();
    const watcher = await connect(port);
    await watcher.mqtt.subscribeAsync('w');
    const began = performance.now();
    const raw = await RawClient.connect(port);
    // Keep-alive 1 s, a will.
    raw.send('101500044d51545405060001' + '00' + '000173' + '00' + '000177' + '000162');
    const answer = await raw.closes();
    const took = performance.now() - began;
    expect(answer.slice(-8)).toBe('e0028d00');
    expect(took).toBeGreaterThan(1400);
    expect(await watcher.receives(1)).toEqual(['w b']);
  });

  it('send many packets before the CONNACK', async () => {
    const { port } = await startHost();
    const raw = await RawClient.connect(port);
    raw.send(CONNECT_4, 'c000'.repeat(500));
    expect(await raw.receives(4 + 1000)).toBe(CONNACK + 'd000'.repeat(500));
  });
});

/** Lengths that do not end, and packets that are not there. */
const INSERTS = ['\xff\0\x80\0', '\xff\0\x80\xff', '\xff\xff\xff\x7f'];

describe('mutations of a good session', () => {
  it.each([
    ['3.1.1', SESSION_4, 11],
    ['5', SESSION_5, 23],
  ] as const)(
    'of %s: 5,000 of them harm nobody',
    async (_name, session, seed) => {
      const running = await startHost({
        mocks: [{ topic: 'a/#', response: { payload: '{{request.payload}}' } }],
      });
      const below = mulberry32(seed);
      const bystander = await connect(running.port);
      await bystander.mqtt.subscribeAsync('quiet', { qos: 1 });
      for (let done = 0; done < 5000; done += 50) {
        await Promise.all(
          Array.from({ length: 50 }, () => playSession(running.port, mutate(session, below, INSERTS))),
        );
      }
      await bystander.mqtt.publishAsync('quiet', 'still here', { qos: 1 });
      await bystander.receives(1);
      await checkWell(running);
      expect(running.log).toEqual([]);
      await eventually(() => running.host.kind('mqtt').status().connections === 1);
    },
    30_000,
  );
});
