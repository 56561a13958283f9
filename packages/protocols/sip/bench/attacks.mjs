// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, openDatagrams } from '@backlot/tooling/attack-client';

/** What the kind is configured with. */
export const settings = {
  mocks: [
    { id: 'slow', uri: 'sip:slow@*', provisional: [180], delay: '1h' },
    {
      id: 'ring',
      method: 'INVITE',
      uri: 'sip:ring@*',
      provisional: [180, 183],
      response: { body: 'v=0\r\n' },
    },
    { id: 'busy', method: 'INVITE', uri: 'sip:busy@*', response: { status: 486 } },
    {
      id: 'text',
      method: 'MESSAGE',
      response: { body: '{{request.raw_body}}', headers: { 'X-From': '{{request.from}}' } },
    },
    { id: 'pattern', uri: 'sip:*a*a*a*a*b', uri_regex: '^(a+)+$' },
  ],
};

const END = '\r\n\r\n';
let made = 0;
/** A request that no other is like; headers stand in front of those that it needs. */
function request(
  method,
  { uri = 'sip:nobody@example.com', headers = [], body = '', via = '', leave = '' } = {},
) {
  made += 1;
  const all = [
    `Via: SIP/2.0/UDP 127.0.0.1:5099;rport;branch=z9hG4bK-${made}${via}`,
    ...headers,
    `From: <sip:a@example.com>;tag=t${made}`,
    'To: <sip:b@example.com>',
    `Call-ID: call-${made}`,
    `CSeq: 1 ${method}`,
    `Content-Length: ${body.length}`,
  ].filter((line) => leave === '' || !line.startsWith(leave));
  return Buffer.from(`${method} ${uri} SIP/2.0\r\n${all.join('\r\n')}${END}${body}`);
}
const repeated = (unit, size) => unit.repeat(Math.floor(size / unit.length));
/** Headers of one name, as large as there is room for in all. */
const filling = (name, unit, count = 8, size = 7900) =>
  Array.from({ length: count }, () => `${name}: ${repeated(unit, size)}`);

const GOOD = () => request('OPTIONS');
const withDatagrams = (name, play) => ({
  name,
  async run(port) {
    const client = await openDatagrams(port);
    await play(client);
    await client.settle(GOOD());
    client.close();
  },
});
const sends = (name, count, make) => withDatagrams(name, (client) => client.sendAll(count, make));
const withStream = (name, play) => ({
  name,
  async run(port) {
    const client = await connect(port);
    await play(client);
    await client.send(GOOD());
    await client.until(/SIP\/2.0 200/);
    client.close();
  },
});

export const attacks = [
  sends('500 requests with 190 Via header fields', 500, () =>
    request('OPTIONS', {
      headers: Array.from(
        { length: 190 },
        (_, n) => `v: SIP/2.0/UDP h${n};branch=z9hG4bK${n}${';a=b'.repeat(60)}`,
      ),
    }),
  ),
  sends('500 requests with thousands of Via in one header field', 500, () =>
    request('OPTIONS', { via: repeated(',SIP/2.0/UDP a', 7800) }),
  ),
  sends('500 requests with a Via of spaces', 500, () =>
    request('OPTIONS', { headers: [`Via: SIP / 2.0 / UDP a${repeated(' ', 7800)}x`] }),
  ),
  sends('500 requests with a Via of parameters', 500, () =>
    request('OPTIONS', { via: repeated(';a', 7800) }),
  ),
  sends('500 requests with 64 KB of Record-Route', 500, () =>
    request('INVITE', { headers: filling('Record-Route', '<sip:a;lr>,', 7) }),
  ),
  sends('500 REGISTER with 28,000 Contacts', 500, () =>
    request('REGISTER', { headers: filling('m', 'a,', 7) }),
  ),
  sends('500 requests with 64 KB of quotes and brackets', 500, () =>
    request('REGISTER', { headers: [...filling('m', '"\\"<', 4), ...filling('m', '<', 3)] }),
  ),
  sends('500 requests with 64 KB of Require', 500, () =>
    request('OPTIONS', { headers: filling('Require', 'a,', 7) }),
  ),
  sends('500 requests with folded lines', 500, () =>
    request('OPTIONS', { headers: [`X: a${repeated('\r\n b', 60_000)}`] }),
  ),
  sends('500 requests with folded lines that are empty', 500, () =>
    request('OPTIONS', { headers: [`X: a${repeated('\r\n ', 60_000)}`] }),
  ),
  sends('500 requests with 30,000 lines', 500, () =>
    request('OPTIONS', { headers: [repeated('a:\r\n', 60_000).trimEnd()] }),
  ),
  sends('500 requests with control characters', 500, () =>
    request('OPTIONS', { headers: filling('X', 'a\u0001', 7) }),
  ),
  sends('500 requests with a URI of 60 KB', 500, () =>
    request('OPTIONS', { uri: `sip:${repeated('a', 60_000)}` }),
  ),
  sends('500 requests with a CSeq of spaces', 500, () =>
    request('OPTIONS', { headers: [`CSeq: 1${repeated(' ', 7900)}`], leave: 'CSeq: 1 O' }),
  ),
  sends('500 texts of 60 KB', 500, () => request('MESSAGE', { body: repeated('x', 60_000) })),
  sends('20,000 INVITEs that nobody acknowledges', 20_000, () => request('INVITE', { uri: 'sip:ring@a' })),
  sends('3,000 INVITEs of 20 KB that nobody acknowledges', 3000, () =>
    request('INVITE', { uri: 'sip:ring@a', headers: filling('Record-Route', '<sip:a;lr>,', 3, 7000) }),
  ),
  sends('20,000 INVITEs that are refused', 20_000, () => request('INVITE', { uri: 'sip:busy@a' })),
  sends('15,000 INVITEs whose answers are delayed', 15_000, () => request('INVITE', { uri: 'sip:slow@a' })),
  sends('3,000 INVITEs of 50 KB whose answers are delayed', 3000, () =>
    request('INVITE', { uri: 'sip:slow@a', headers: filling('X', 'abc ', 6) }),
  ),
  withDatagrams('one request of 50 KB 5,000 times', (client) => {
    const one = request('MESSAGE', { body: repeated('x', 50_000) });
    return client.sendAll(5000, () => one);
  }),
  sends('30,000 OPTIONS', 30_000, GOOD),
  sends('20,000 ACKs and CANCELs of nothing', 20_000, (n) => request(n % 2 === 0 ? 'ACK' : 'CANCEL')),
  sends('20,000 datagrams of nonsense', 20_000, (n) =>
    Buffer.from(`A sip:a SIP/2.0\r\n${'v'.repeat(n % 50)}:${'\r\n'.repeat(n % 7)}`),
  ),
  withStream('20,000 requests in one pipeline', (client) =>
    client.send(Buffer.concat(Array.from({ length: 20_000 }, GOOD))),
  ),
  withStream('5,000 INVITEs over TCP that nobody acknowledges', (client) =>
    client.send(Buffer.concat(Array.from({ length: 5000 }, () => request('INVITE', { uri: 'sip:ring@a' })))),
  ),
  {
    name: 'a message of 64 KB in pieces of 8 bytes',
    async run(port) {
      const client = await connect(port);
      const message = request('MESSAGE', { headers: filling('X', 'a', 7) });
      for (let at = 0; at < message.length; at += 8) {
        client.socket.write(message.subarray(at, at + 8));
        if (at % 160 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await client.until(/SIP\/2.0 /);
      client.close();
    },
  },
  {
    name: 'a header without end, and Content-Lengths that lie',
    async run(port) {
      for (const text of [
        repeated('a', 200_000),
        `A sip:a SIP/2.0\r\n${repeated('l: 1\r\n', 60_000)}\r\n`,
        `A sip:a SIP/2.0\r\nl: 4294967295${END}`,
      ]) {
        const client = await connect(port);
        await client.send(text);
        await client.closed();
      }
    },
  },
];
