import { describe, expect, it } from '@jest/globals';
import { mulberry32 } from '@backlot/conformance';
import { RECORDED } from './recorded.js';
import { makeRequest, parseAnswer, startHost, TcpClient, UdpClient } from './support.js';

const MOCKS = [
  { method: 'INVITE', provisional: [180], response: { body: 'v=0\r\n' } },
  {
    method: 'MESSAGE',
    uri: 'sip:*@example.com',
    response: { body: '{{request.uri.user}} {{headers.subject}}' },
  },
];

const TOKENS = [
  '\r\n',
  '\r\n\r\n',
  ' ',
  ';',
  ',',
  ':',
  '<',
  '>',
  '"',
  '=',
  'Via: ',
  'l: 99999\r\n',
  'SIP/2.0',
  '\0',
  'é',
];

function mutate(text: string, below: (limit: number) => number): Buffer {
  const octets = Buffer.from(text);
  const at = below(octets.length);
  switch (below(5)) {
    case 0:
      return octets.subarray(0, at);
    case 1:
      return Buffer.concat([
        octets.subarray(0, at),
        Buffer.from(TOKENS[below(TOKENS.length)] ?? ''),
        octets.subarray(at),
      ]);
    case 2:
      return Buffer.concat([octets.subarray(0, at), octets.subarray(at + 1 + below(20))]);
    case 3: {
      const lines = text.split('\r\n');
      lines.splice(below(lines.length), below(2), lines[below(lines.length)] ?? '');
      return Buffer.from(lines.join('\r\n'));
    }
    default:
      for (let count = below(4); count >= 0; count -= 1) octets[below(octets.length)] = below(256);
      return octets;
  }
}

async function expectWell(port: number): Promise<void> {
  for (const client of [new UdpClient(port), new TcpClient(port)]) {
    const answer = await client.ask(makeRequest('MESSAGE', { headers: ['Subject: well'] }));
    expect([answer.status, answer.body]).toEqual([200, 'alice well']);
  }
}

describe('robustness', () => {
  it('gives every recorded message its answer', async () => {
    const { port } = await startHost(MOCKS);
    const client = new UdpClient(port);
    const answered: number[][] = [];
    for (const text of RECORDED) {
      await client.send(text);
      answered.push((await client.settle()).map((answer) => parseAnswer(answer).status));
    }
    expect(answered).toEqual([[180, 200], [], [404], [200], [200]]);
  });

  it('answers 10,000 mutations over UDP with a response, or with silence', async () => {
    const { port, log } = await startHost(MOCKS);
    const below = mulberry32(5060);
    const client = new UdpClient(port);
    let answers = 0;
    for (let round = 0; round < 100; round += 1) {
      for (let n = 0; n < 100; n += 1) await client.send(mutate(RECORDED[below(5)] ?? '', below));
      for (const text of await client.settle()) {
        const { status, headers } = parseAnswer(text);
        expect([180, 200, 400, 404, 405, 420, 481, 482, 505]).toContain(status);
        expect(headers['call-id']).toHaveLength(1);
        answers += 1;
      }
    }
    expect(answers).toBeGreaterThan(2000);
    expect(log).toEqual([]);
    await expectWell(port);
  }, 20_000);

  it('survives 10,000 mutations over TCP', async () => {
    const { port, log } = await startHost(MOCKS);
    const below = mulberry32(5061);
    let closed = 0;
    for (let round = 0; round < 100; round += 1) {
      const clients = Array.from({ length: 10 }, () => new TcpClient(port));
      for (const client of clients) {
        for (let n = 0; n < 10; n += 1) client.send(mutate(RECORDED[below(5)] ?? '', below));
        // Ends what is left of a message that has begun, so that the connection has an end.
        client.socket.end();
      }
      await Promise.all(
        clients.map(async (client) => {
          while ((await client.receiveText()) !== 'closed');
          closed += 1;
        }),
      );
    }
    expect(closed).toBe(1000);
    expect(log).toEqual([]);
    await expectWell(port);
  }, 20_000);

  it.each([
    ['a TLS hello', Buffer.from(`16030100a5010000a10303${'5f'.repeat(160)}`, 'hex')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a header without end', Buffer.from(`OPTIONS sip:a@b SIP/2.0\r\nX: ${'x'.repeat(100_000)}`)],
    ['headers without end', Buffer.from(`OPTIONS sip:a@b SIP/2.0\r\n${'X: y\r\n'.repeat(20_000)}`)],
  ])('ends a connection with %s', async (_name, octets) => {
    const { port, log } = await startHost(MOCKS);
    const client = new TcpClient(port);
    client.send(octets);
    expect(await client.receiveText()).toBe('closed');
    const datagrams = new UdpClient(port);
    await datagrams.send(octets.subarray(0, 60_000));
    expect(await datagrams.settle()).toEqual([]);
    expect(log).toEqual([]);
    await expectWell(port);
  });

  it('reads very many folds and commas in time', async () => {
    const { port } = await startHost(MOCKS);
    const client = new UdpClient(port);
    // The work of this process and not the time it takes: other processes may want the machine too.
    const begin = process.cpuUsage().user;
    for (const headers of [
      [`X: ${'\r\n '.repeat(15_000)}`],
      [`Contact: ${','.repeat(8000)}`],
      [`Contact: ${'<'.repeat(8000)}`],
      Array.from({ length: 190 }, () => `Via: ${'SIP/2.0/UDP a,'.repeat(20)}`),
    ]) {
      expect((await client.ask(makeRequest('REGISTER', { headers }))).status).toBeLessThan(600);
    }
    expect((process.cpuUsage().user - begin) / 1000).toBeLessThan(2000);
  });

  it('keeps plain names plain', async () => {
    const { port } = await startHost([
      {
        method: 'INFO',
        response: {
          headers: { constructor: 'a' },
          body: '{{headers.__proto__}}-{{request.uri.params.__proto__}}',
        },
      },
    ]);
    const answer = await new UdpClient(port).ask(
      makeRequest('INFO', { uri: 'sip:a@b;__proto__=c', headers: ['__proto__: d'] }),
    );
    expect(answer.body).toBe('d-c');
    expect(answer.headers['constructor']).toEqual(['a']);
  });

  it('takes the ACK of nobody, and answers nothing to responses', async () => {
    const { port } = await startHost(MOCKS);
    const client = new TcpClient(port);
    client.send('SIP/2.0 200 OK\r\nVia: SIP/2.0/TCP a\r\nContent-Length: 0\r\n\r\n');
    client.send(makeRequest('ACK'));
    expect((await client.ask(makeRequest('OPTIONS'))).status).toBe(200);
  });
});
