import { describe, expect, it } from '@jest/globals';
import { mulberry32, type SeededNumbers } from '@backlot/conformance';
import { encode, NodeClient, RawClient, startHost } from './support.js';

const MOCKS = [
  { path: '/sensors/{id}', response: { payload: '{"id": "{{request.params.id}}"}' } },
  { method: 'PUT', path: '/lamp', response: { code: '2.04' } },
  { path: '/large', response: { payload: 'z'.repeat(2000) } },
];

// What coap-client-notls (libcoap 4.3.1) has sent: a GET with a query, a PUT, an upload in three blocks, a download in two,
// a FETCH that is not confirmable, an observation with the acknowledgement of a notification and its cancellation.
const RECORDED = [
  '41010bf10172cf8c4773656e736f727301374864657461696c3d31',
  '4103a6970172cf8c446c616d7010ff6f6e',
  '410349560172cf8c446c616d70d10308d11428d4db6b69874bff61616161616161616161616161616161',
  '470349570200000000000372cf8c446c616d70d10318d11428d4db6b69874bff61616161616161616161616161616161',
  '470349580300000000000372cf8c446c616d70d10320d11428d4db6b69874bff6161616161616161',
  '4101e2270172cf8c456c61726765',
  '4701e2280200000000000272cf8c456c61726765c116',
  '510550340172cf8c4773656e736f727301336132ff7b7d',
  '41012555016012cf8c4773656e736f72730132',
  '60000b28',
  '4101255601610112cf8c4773656e736f72730132',
].map((hex) => Buffer.from(hex, 'hex'));

function mutate(octets: Buffer, below: SeededNumbers): Buffer {
  const changed = Buffer.from(octets);
  for (let count = below(4); count >= 0; count -= 1) changed[below(changed.length)] = below(256);
  const kind = below(4);
  if (kind === 0) return changed.subarray(0, below(changed.length + 1));
  if (kind === 1)
    return Buffer.concat([changed, Buffer.from(Array.from({ length: below(40) }, () => below(256)))]);
  return changed;
}

async function expectWell(port: number): Promise<void> {
  const { code, payload } = await new NodeClient(port).ask({ pathname: '/sensors/7' });
  expect(`${code} ${payload.toString()}`).toBe('2.05 {"id": "7"}');
}

describe('robustness', () => {
  it('answers 10,000 mutations of good packets with something small, or with silence', async () => {
    const { port, log } = await startHost(MOCKS);
    const below = mulberry32(19);
    const client = new RawClient(port);
    let answers = 0;
    for (let round = 0; round < 100; round += 1) {
      for (let n = 0; n < 100; n += 1) {
        const octets = mutate(RECORDED[below(RECORDED.length)] ?? Buffer.alloc(0), below);
        await client.send(octets);
      }
      await client.settle();
      while (client.spare > 0) {
        const { code, payload } = await client.receive();
        expect(code).toMatch(/^(0\.00|[245]\.\d\d)$/);
        expect(payload.length).toBeLessThanOrEqual(1024);
        answers += 1;
      }
    }
    expect(answers).toBeGreaterThan(1000);
    expect(log).toEqual([]);
    await expectWell(port);
  }, 20_000);

  it('gives every recorded packet its answer', async () => {
    const { port } = await startHost(MOCKS);
    const client = new RawClient(port);
    const codes: string[] = [];
    for (const octets of RECORDED) {
      await client.send(octets);
      await client.settle();
      codes.push(client.spare === 0 ? 'silence' : (await client.receive()).code);
    }
    const last = ['2.05', '2.05', '2.05', '2.05', 'silence', '2.05'];
    expect(codes).toEqual(['2.05', '2.04', '2.31', '2.31', '2.04', ...last]);
  });

  it.each([
    ['a token length of 9', '490100010102030405060708' + '09'],
    ['an option of length 15', '400100020f'],
    ['a marker without a payload', '40010003ff'],
    ['a value that is cut', '40010004b461'],
  ])('resets a confirmable message with %s and ignores another', async (_name, hex) => {
    const { port } = await startHost(MOCKS);
    const client = new RawClient(port);
    const octets = Buffer.from(hex, 'hex');
    const reset = await client.askRaw(octets);
    expect([reset.reset, reset.messageId]).toEqual([true, octets.readUInt16BE(2)]);
    octets[0] = (octets[0] ?? 0) | 0x10;
    await client.send(octets);
    await client.settle();
    expect(client.spare).toBe(0);
  });

  it('survives other protocols, nothing, and very large datagrams', async () => {
    const { port, log } = await startHost(MOCKS);
    const client = new RawClient(port);
    const storm = encode(
      client.make('/x', {
        options: Array.from(
          { length: 20_000 },
          () => ({ name: 'Uri-Path', value: Buffer.from('a') }) as const,
        ),
      }),
    );
    expect((await client.askRaw(storm)).code).toBe('4.02');
    const hello = Buffer.from(`16030100a5010000a10303${'5f'.repeat(120)}`, 'hex');
    const large = client.make('/lamp', { code: 'PUT', payload: Buffer.alloc(60_000, 'x') });
    expect((await client.ask(large)).code).toBe('2.04');
    for (const octets of [
      Buffer.alloc(0),
      hello,
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.alloc(60_000),
    ]) {
      await client.send(octets);
    }
    await client.settle();
    const left: unknown[] = [];
    while (client.spare > 0) {
      const { code, reset, messageId } = await client.receive();
      left.push({ code, reset, messageId });
    }
    // The request of HTTP reads as a confirmable response.
    expect(left).toEqual([{ code: '0.00', reset: true, messageId: 0x5420 }]);
    expect(log).toEqual([]);
    await expectWell(port);
  });

  it('keeps plain names plain', async () => {
    const { port } = await startHost([
      { path: '/p', query: { constructor: { absent: true } }, response: { payload: '{{query.__proto__}}' } },
    ]);
    const client = new RawClient(port);
    const query = (text: string) => ({ options: [{ name: 'Uri-Query' as const, value: Buffer.from(text) }] });
    expect((await client.ask(client.make('/p', query('__proto__=a')))).payload.toString()).toBe('a');
    expect((await client.ask(client.make('/p', query('constructor=a')))).code).toBe('4.04');
  });

  it('remembers a bounded number of messages, the newest', async () => {
    const { port, host } = await startHost([{ id: 'x', path: '/x', response: { payload: '{{uuid}}' } }]);
    const client = new RawClient(port);
    const first = encode(client.make('/x'));
    const before = await client.askRaw(first);
    const other = new RawClient(port);
    for (let n = 0; n < 16_384; n += 64) {
      for (let each = 0; each < 64; each += 1)
        await other.sendPacket(other.make('/y', { confirmable: false }));
      await other.settle();
      while (other.spare > 0) await other.receive();
    }
    expect((await client.askRaw(first)).payload).not.toEqual(before.payload);
    expect(host.kind('coap').calls.of('x').count).toBe(2);
  }, 20_000);
});
