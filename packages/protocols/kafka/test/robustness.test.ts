import { describe, expect, it } from '@jest/globals';
import { mulberry32, playSession, type SeededNumbers } from '@backlot/conformance';
import { ERROR } from '../src/wire/errors.js';
import { createProduce, encodeAll } from './requests.js';
import { SESSIONS } from './recorded-sessions.js';
import { batchOf, connectKafkaJs, RawClient, startHost, startProducer, type Running } from './support.js';

const MUTATIONS = 10_000;
const AT_ONCE = 50;

/** Spoils a session in one of several ways. */
function mutate(session: Buffer, random: SeededNumbers): Buffer {
  const bytes = Buffer.from(session);
  const at = random(bytes.length);
  switch (random(7)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(8))]);
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + random(8), random(256)),
        bytes.subarray(at),
      ]);
    case 3:
      bytes.fill([0, 0x7f, 0x80, 0xff][random(4)] ?? 0, at, Math.min(at + 4, bytes.length));
      return bytes;
    case 4:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      return bytes;
    default:
      for (let count = 1 + random(8); count > 0; count -= 1) bytes[random(bytes.length)] = random(256);
      return bytes;
  }
}

/** A real client works, and nothing went wrong in the server but what it understood to be bad input. */
async function checkWell(running: Running): Promise<void> {
  const producer = await startProducer(connectKafkaJs(running));
  const [sent] = await producer.send({ topic: 'well', messages: [{ value: 'good' }] });
  expect(sent?.errorCode).toBe(0);
  expect(running.log.filter((line) => !line.startsWith('warn: 127.0.0.1:'))).toEqual([]);
  expect(running.host.kind('kafka').status()['state']).toBe('running');
}

describe('a broker', () => {
  it(`survives ${MUTATIONS} mutations of good sessions`, async () => {
    const running = await startHost();
    const random = mulberry32(20);
    const sessions = [...SESSIONS, ...encodeAll()];
    for (const session of SESSIONS)
      expect((await playSession(running.port, session)).length).toBeGreaterThan(0);
    let left = MUTATIONS;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const session = sessions[random(sessions.length)];
        if (session !== undefined) await playSession(running.port, mutate(session, random));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await checkWell(running);
  }, 30_000);

  it.each([
    ['a request of -1 bytes', 'ffffffff'],
    ['a request of 2 GiB', '7fffffff00030000'],
    ['a request of no bytes', '00000000'],
    ['an empty header', '0000000200120000'],
    ['an unknown API key', '0000000a03e7000000000001ffff'],
    ['a negative API key', '0000000affff000000000001ffff'],
    ['a version that is not answered', '0000000a0003006300000001ffff'],
    ['a negative version', '0000000a0003ffff00000001ffff'],
    ['a client id that is longer than the request', '0000000a0003000000000001' + '7fff'],
    ['2^31 - 1 topics', '0000000e0003000100000001ffff' + '7fffffff'],
    ['-2 topics', '0000000e0003000100000001ffff' + 'fffffffe'],
    ['a compact list of 2^32 - 2 topics', '000000130003000900000001ffff00' + 'ffffffff0f' + '000000'],
    ['an endless variable-length number', '000000130003000900000001ffff00' + 'ffffffffffffffff'],
    ['a TLS hello', '16030100a5010000a10303' + '5f'.repeat(32)],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n').toString('hex')],
  ])('closes a connection that sends %s', async (_name, hex) => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.socket.write(Buffer.from(hex, 'hex'));
    await client.closed();
    expect(running.log).toHaveLength(1);
    await checkWell(running);
  });

  it('lets one wait that has sent half a request, and answers others', async () => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.socket.write(SESSIONS[0]?.subarray(0, 10) ?? '');
    await checkWell(running);
    expect(client.isClosed).toBe(false);
  });

  it('takes topic names that are no UTF-8 or no good as bad names', async () => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    for (const name of ['\xff\xfe', '__proto__/', '', '.', 'a'.repeat(250)]) {
      client.socket.write(createProduce(Buffer.from(name, 'latin1'), batchOf(['x'])));
      const frame = await client.frame();
      // Behind the number of topics, the name, the number of partitions and the partition stands the error.
      const nameLength = frame?.readInt16BE(8) ?? 0;
      expect(frame?.readInt16BE(18 + nameLength)).toBe(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    }
    await checkWell(running);
  });

  it('has a topic called __proto__ like any other', async () => {
    const running = await startHost({
      mocks: [
        { topic: '__proto__', records: [{ key: '__proto__', value: 'v', headers: { constructor: 'c' } }] },
      ],
    });
    const admin = connectKafkaJs(running).admin();
    await admin.connect();
    expect(await admin.listTopics()).toEqual(['__proto__']);
    await admin.disconnect();
    expect(({} as { value?: unknown }).value).toBeUndefined();
  });

  it('gives answers to a client that reads slowly without growing', async () => {
    const value = 'x'.repeat(500_000);
    const running = await startHost({
      mocks: [{ topic: 'big', records: Array.from({ length: 20 }, () => ({ value })) }],
    });
    const client = await RawClient.connect(running.port);
    client.socket.pause();
    const asked = encodeAll().find((request) => request.readInt16BE(4) === 1);
    // Each asks for ten megabytes; they are made one by one, as the answers before them are read.
    for (let n = 0; n < 100; n += 1) client.socket.write(asked ?? '');
    await checkWell(running);
    const before = process.memoryUsage().arrayBuffers;
    await checkWell(running);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});
