import { describe, expect, it } from '@jest/globals';
import { eventually, xorshift32 } from '@backlot/conformance';
import {
  connect,
  frame,
  framesOf,
  HEADER,
  method,
  OPENING,
  openConfirmChannel,
  RawClient,
  shortString,
  startHost,
  type Running,
} from './support.js';
import { SESSION } from './recorded-session.js';

const TLS_HELLO = Buffer.from(
  `16030100a5010000a10303${'5f'.repeat(32)}0002c02c0100${'00'.repeat(40)}`,
  'hex',
);
const PUBLISH = method(1, 60, 40, `0000${shortString('')}${shortString('q')}00`);
const START_OK = (mechanism: string, response: string, properties = '00000000'): Buffer =>
  method(
    0,
    10,
    11,
    properties +
      shortString(mechanism) +
      (response.length / 2).toString(16).padStart(8, '0') +
      response +
      shortString('en_US'),
  );

/** A content header. */
function contentHeader(size: string, properties = '0000', classId = '003c'): Buffer {
  return frame(2, 1, Buffer.from(`${classId}0000${size}${properties}`, 'hex'));
}

/** A field table with its length. */
function table(content: string): string {
  return (content.length / 2).toString(16).padStart(8, '0') + content;
}

async function checkWell({ url, log }: Running): Promise<void> {
  const channel = await openConfirmChannel(url);
  await channel.assertQueue('well');
  channel.sendToQueue('well', Buffer.from('x'));
  await channel.waitForConfirms();
  expect(await channel.get('well', { noAck: true })).toBeTruthy();
  expect(log).toEqual([]);
}

describe('what is no AMQP 0-9-1', () => {
  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a TLS hello', TLS_HELLO],
    ['AMQP 1.0', Buffer.from('AMQP\x00\x01\x00\x00', 'latin1')],
    ['AMQP 0-8', Buffer.from('AMQP\x01\x01\x08\x00', 'latin1')],
    ['one wrong byte', Buffer.from('X')],
  ])('%s is told the version and ended', async (_name, bytes) => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.send(bytes);
    await client.until(() => client.isClosed);
    expect(client.received).toEqual(HEADER);
    await checkWell(running);
  });
});

describe('a bad opening', () => {
  const cases: [string, readonly Buffer[], string][] = [
    [
      'a frame of 4 GiB',
      [HEADER, Buffer.from('010000ffffffff', 'hex')],
      'connection 501 FRAME_ERROR - a frame of type 1 says it has 4294967295 octets; at most 32768 were agreed on',
    ],
    [
      'a frame of 64 KiB before the login',
      [HEADER, Buffer.from('01000000010000', 'hex')],
      'connection 501 FRAME_ERROR - a frame of type 1 says it has 65536 octets',
    ],
    ['tune-ok first', [HEADER, method(0, 10, 31, '000000000000003c')], 'connection 503 COMMAND_INVALID'],
    ['a channel first', [HEADER, method(1, 20, 10, '00')], 'connection 503 COMMAND_INVALID'],
    ['content first', [HEADER, frame(3, 0, Buffer.from('x'))], 'connection 505 UNEXPECTED_FRAME'],
    [
      'an unknown mechanism',
      [HEADER, START_OK('EXTERNAL', '')],
      'connection 403 ACCESS_REFUSED - Login was refused',
    ],
    ['half a PLAIN login', [HEADER, START_OK('PLAIN', '0061')], 'connection 403 ACCESS_REFUSED'],
    [
      'an AMQPLAIN login that is no table',
      [HEADER, START_OK('AMQPLAIN', 'ffffffff')],
      'connection 403 ACCESS_REFUSED',
    ],
    [
      'a frame_max that is too small',
      [HEADER, START_OK('PLAIN', '00610062'), method(0, 10, 31, '0000000000640000')],
      'connection 530 NOT_ALLOWED - negotiated frame_max = 100 is lower than the minimum allowed value (4096)',
    ],
    [
      'a frame_max that is too large',
      [HEADER, START_OK('PLAIN', '00610062'), method(0, 10, 31, '0000000300000000')],
      'connection 530 NOT_ALLOWED - negotiated frame_max = 196608 is higher than the maximum allowed value (131072)',
    ],
  ];

  it.each(cases)('%s: %#', async (_name, bytes, refusal) => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.send(...bytes);
    expect(await client.refusal()).toContain(refusal);
    client.socket.destroy();
    await checkWell(running);
  });

  it('takes AMQPLAIN', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'b' }] });
    const login = `${'05'}${Buffer.from('LOGIN').toString('hex')}5300000003${Buffer.from('ann').toString('hex')}08${Buffer.from('PASSWORD').toString('hex')}530000000162`;
    const client = await RawClient.connect(port);
    client.send(HEADER, START_OK('AMQPLAIN', login));
    await client.until(() => client.methods.includes('10.30'));
    expect(client.methods).toEqual(['10.10', '10.30']);
  });
});

describe('bad frames', () => {
  const deep = (levels: number): string => {
    let value = '';
    for (let level = 0; level < levels; level += 1) value = `0161${'46'}${table(value)}`;
    return table(value);
  };
  const declare = (args: string): Buffer => method(1, 50, 10, `0000${shortString('q')}00${args}`);
  const cases: [string, readonly Buffer[], string][] = [
    ['a wrong end', [Buffer.from('0100010000000400140028ff', 'hex')], 'connection 501 FRAME_ERROR'],
    ['an unknown type', [frame(7, 1, Buffer.from('x'))], 'connection 501 FRAME_ERROR - unknown frame type 7'],
    ['a frame of 2 GiB', [Buffer.from('03000180000000', 'hex')], 'connection 501 FRAME_ERROR'],
    ['a heart-beat on a channel', [frame(8, 1, Buffer.alloc(0))], 'connection 501 FRAME_ERROR'],
    ['a method without numbers', [frame(1, 1, Buffer.from('0014', 'hex'))], 'connection 502 SYNTAX_ERROR'],
    ['an unknown method', [method(1, 60, 99)], 'connection 503 COMMAND_INVALID'],
    ['an unknown class', [method(1, 99, 10)], 'connection 503 COMMAND_INVALID'],
    ['a method that only servers send', [method(1, 60, 60)], 'connection 503 COMMAND_INVALID'],
    ['a class of a channel on channel 0', [method(0, 50, 10)], 'connection 504 CHANNEL_ERROR'],
    [
      'a channel that is not open',
      [method(2, 60, 40)],
      "connection 504 CHANNEL_ERROR - expected 'channel.open'",
    ],
    [
      'a channel twice',
      [method(1, 20, 10, '00')],
      "connection 504 CHANNEL_ERROR - second 'channel.open' seen",
    ],
    ['too high a channel', [method(3000, 20, 10, '00')], 'connection 530 NOT_ALLOWED'],
    ['a header without a method', [contentHeader('0000000000000001')], 'connection 505 UNEXPECTED_FRAME'],
    ['a body without a method', [frame(3, 1, Buffer.from('x'))], 'connection 505 UNEXPECTED_FRAME'],
    [
      'a body without a header',
      [PUBLISH, frame(3, 1, Buffer.from('x'))],
      'connection 505 UNEXPECTED_FRAME - expected content header for class 60, got non content header frame instead',
    ],
    [
      'a method in place of a header',
      [PUBLISH, method(1, 60, 70, '0000017100')],
      'connection 505 UNEXPECTED_FRAME',
    ],
    [
      'two headers',
      [PUBLISH, contentHeader('0000000000000001'), contentHeader('0000000000000001')],
      'connection 505 UNEXPECTED_FRAME',
    ],
    [
      'a header of another class',
      [PUBLISH, contentHeader('0000000000000001', '0000', '0032')],
      'connection 505 UNEXPECTED_FRAME',
    ],
    [
      'a longer body than announced',
      [PUBLISH, contentHeader('0000000000000001'), frame(3, 1, Buffer.from('xx'))],
      'connection 501 FRAME_ERROR',
    ],
    [
      'a body of 16 EiB',
      [PUBLISH, contentHeader('ffffffffffffffff')],
      'channel 406 PRECONDITION_FAILED - message size 18446744073709552000 is larger than',
    ],
    [
      'a body of 4 GiB',
      [PUBLISH, contentHeader('0000000100000000')],
      'channel 406 PRECONDITION_FAILED - message size 4294967296 is larger than configured max size 16777216',
    ],
    [
      'property flags without a meaning',
      [PUBLISH, contentHeader('0000000000000000', '0001')],
      'connection 502',
    ],
    [
      'properties that are cut short',
      [PUBLISH, contentHeader('0000000000000000', '8000ff61')],
      'connection 502',
    ],
    ['bytes behind the properties', [PUBLISH, contentHeader('0000000000000000', '000000')], 'connection 502'],
    ['headers of 4 GiB', [PUBLISH, contentHeader('0000000000000000', '2000ffffffff')], 'connection 502'],
    ['arguments that are cut short', [method(1, 50, 10, '0000ff')], 'connection 502 SYNTAX_ERROR'],
    ['bytes behind the arguments', [declare(`${table('')}00`)], 'connection 502 SYNTAX_ERROR'],
    ['a table of 4 GiB', [declare('ffffffff')], 'connection 502 SYNTAX_ERROR'],
    ['an unknown field type', [declare(table('01617a'))], 'connection 502 SYNTAX_ERROR'],
    ['a text of 4 GiB', [declare(table('016153fffffff0'))], 'connection 502 SYNTAX_ERROR'],
    ['a value that goes beyond its table', [declare(`00000004${'016149'}${'00000001'}`)], 'connection 502'],
    ['an array that goes beyond its table', [declare(table(`016141${'000000ff'}74`))], 'connection 502'],
    [
      'tables in tables without end',
      [declare(deep(200))],
      'connection 502 SYNTAX_ERROR - a field table is nested deeper',
    ],
    [
      'immediate',
      [method(1, 60, 40, '0000000002'), contentHeader('0000000000000000')],
      'connection 540 NOT_IMPLEMENTED - immediate=true',
    ],
    [
      'a prefetch in bytes',
      [method(1, 60, 10, '00000001000000')],
      'connection 540 NOT_IMPLEMENTED - prefetch_size!=0 (1)',
    ],
    ['recover without requeue', [method(1, 60, 110, '00')], 'connection 540 NOT_IMPLEMENTED'],
    ['flow off', [method(1, 20, 20, '00')], 'connection 540 NOT_IMPLEMENTED - active=false'],
    [
      'a commit without a transaction',
      [method(1, 90, 20)],
      'channel 406 PRECONDITION_FAILED - channel is not transactional',
    ],
    [
      'confirms in a transaction',
      [method(1, 90, 10), method(1, 85, 10, '00')],
      'channel 406 PRECONDITION_FAILED - cannot switch from tx to confirm mode',
    ],
    [
      'direct replies that are to be acknowledged',
      [method(1, 60, 20, `0000${shortString('amq.rabbitmq.reply-to')}0000${table('')}`)],
      'channel 406 PRECONDITION_FAILED - reply consumer cannot acknowledge',
    ],
    [
      'a topic of more words than can be',
      [
        declare(table('')),
        method(
          1,
          50,
          20,
          `0000${shortString('q')}${shortString('amq.topic')}${shortString('.'.repeat(200))}00${table('')}`,
        ),
      ],
      'channel 406 PRECONDITION_FAILED - invalid binding key',
    ],
    [
      'a binding to the default exchange',
      [declare(table('')), method(1, 50, 20, `0000${shortString('q')}${shortString('')}0000${table('')}`)],
      'channel 403 ACCESS_REFUSED - operation not permitted on the default exchange',
    ],
    [
      'an unknown type of exchange',
      [method(1, 40, 10, `0000${shortString('x')}${shortString('y')}00${table('')}`)],
      "connection 503 COMMAND_INVALID - unknown exchange type 'y'",
    ],
    [
      'a consumer tag twice',
      [
        declare(table('')),
        method(1, 60, 20, `0000${shortString('q')}${shortString('c')}02${table('')}`),
        method(1, 60, 20, `0000${shortString('q')}${shortString('c')}02${table('')}`),
      ],
      "connection 530 NOT_ALLOWED - attempt to reuse consumer tag 'c'",
    ],
  ];

  it.each(cases)('%s: %#', async (_name, bytes, refusal) => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.send(OPENING, ...bytes);
    expect(await client.refusal()).toContain(refusal);
    client.socket.destroy();
    await checkWell(running);
  });

  it('waits for what is not there yet, and forgets it with the connection', async () => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.send(OPENING, PUBLISH, contentHeader('0000000000000005'), frame(3, 1, Buffer.from('ab')));
    await client.until(() => client.methods.includes('20.11'));
    client.socket.destroy();
    await eventually(() => running.host.kind('amqp').status()['connections'] === 0);
    expect(running.host.journal.list()).toEqual([]);
    await checkWell(running);
  });

  it('lets a channel that has failed be opened again, behind what was still on its way', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    client.send(OPENING, PUBLISH, contentHeader('0000000100000000'), frame(3, 1, Buffer.from('late')));
    await client.until(() => client.methods.includes('20.40'));
    client.send(
      method(1, 20, 41),
      frame(3, 1, Buffer.from('later')),
      method(1, 20, 10, '00'),
      method(1, 60, 70, '0000017100'),
    );
    expect(await client.refusal()).toContain('406');
    await client.until(() => client.methods.filter((each) => each === '20.40').length === 2);
    expect(client.methods).toEqual(['10.10', '10.30', '10.41', '20.11', '20.40', '20.11', '20.40']);
  });
});

/** What opens a connection with a heart-beat each second. */
function tuned(): Buffer[] {
  return framesOf(OPENING).map(({ payload, whole }) =>
    payload.readUInt32BE(0) === 0x000a001f ? method(0, 10, 31, '07ff000200000001') : whole,
  );
}

describe('heart-beats', () => {
  it('are sent to a quiet client, and one that is silent is gone', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    client.send(HEADER, ...tuned());
    await client.until(() => framesOf(client.received).some(({ type }) => type === 8));
    expect(client.isClosed).toBe(false);
    await client.until(() => client.isClosed);
    await eventually(() => host.kind('amqp').status()['connections'] === 0);
  });

  it('of a client keep it', async () => {
    const { port, url } = await startHost();
    const client = await connect(`${url}?heartbeat=1`);
    let isClosed = false;
    client.on('close', () => (isClosed = true));
    // As soon as a silent one that came later is gone, one that has not beaten would be gone too.
    const silent = await RawClient.connect(port);
    silent.send(HEADER, ...tuned());
    await silent.until(() => silent.isClosed);
    expect(isClosed).toBe(false);
    await (await client.createChannel()).assertQueue('q');
  });
});

describe('10,000 mutations of a good session', () => {
  it('end with an error, an answer or a closed connection, and leave the server well', async () => {
    const running = await startHost({ mocks: [{ routing_key: 'rpc', response: { body: 'x' } }] });
    const random = xorshift32(0x2545f491);
    const outcomes = new Set<string>();
    const run = async (): Promise<void> => {
      const client = await RawClient.connect(running.port);
      client.socket.end(mutate(SESSION, random));
      await client.until(() => client.isClosed);
      outcomes.add((await client.refusal()).split(' ', 2).join(' '));
      client.socket.destroy();
    };
    for (let done = 0; done < 10_000; done += 50) {
      await Promise.all(Array.from({ length: 50 }, run));
    }
    await eventually(() => running.host.kind('amqp').status()['connections'] === 0);
    expect([...outcomes]).toEqual(
      expect.arrayContaining(['closed', ...[501, 502, 503, 504, 505].map((code) => `connection ${code}`)]),
    );
    await checkWell(running);
  }, 60_000);
});

/** Changes, drops, doubles or inserts bytes at one to three places. */
function mutate(session: Buffer, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(session);
  for (let times = 1 + random(3); times > 0; times -= 1) {
    const at = random(bytes.length);
    const length = 1 + random(8);
    const noise = Buffer.from(Array.from({ length }, () => random(256)));
    switch (random(5)) {
      case 0:
        bytes[at] = random(256);
        break;
      case 1:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
        break;
      default:
        bytes = bytes.subarray(0, at + 1);
    }
  }
  return bytes;
}
