import { describe, expect, it } from '@jest/globals';
import { follow, makeRequest, startHost, TcpClient, UdpClient } from './support.js';

const SDP = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n';

describe('answers', () => {
  it('copies what the RFC says, with received and rport', async () => {
    const { port } = await startHost([{ method: 'INVITE', response: { body: SDP } }]);
    const client = new UdpClient(port);
    const invite = makeRequest('INVITE', {
      via: 'SIP/2.0/UDP pc33.example.com:5066;rport;received=192.0.2.9;branch=z9hG4bKcopy',
      headers: [
        'Via: SIP/2.0/UDP one.example.com;branch=z9hG4bK1, SIP/2.0/TCP two.example.com;branch=z9hG4bK2',
        'Record-Route: <sip:p2.example.com;lr>',
        'Record-Route: <sip:p1.example.com;lr>',
      ],
    });
    const answer = await client.ask(invite);
    const own = client.socket.address().port;
    expect(answer.headers['via']).toEqual([
      `SIP/2.0/UDP pc33.example.com:5066;branch=z9hG4bKcopy;received=127.0.0.1;rport=${own}`,
      'SIP/2.0/UDP one.example.com;branch=z9hG4bK1, SIP/2.0/TCP two.example.com;branch=z9hG4bK2',
    ]);
    expect(answer.headers['record-route']).toEqual(['<sip:p2.example.com;lr>', '<sip:p1.example.com;lr>']);
    expect(answer.headers['to']?.[0]).toMatch(/^<sip:alice@example.com>;tag=[0-9a-f]{16}$/);
    expect(answer.headers['contact']).toEqual([`<sip:127.0.0.1:${port}>`]);
    expect(answer.headers['content-type']).toEqual(['application/sdp']);
    expect(answer.headers['content-length']).toEqual([String(SDP.length)]);
    expect(answer.body).toBe(SDP);
    await client.send(follow(invite, 'ACK'));
  });

  it('has what expressions for the URI, headers and the body have captured', async () => {
    const { port } = await startHost([
      {
        method: 'MESSAGE',
        uri: 're:^sip:(?<user>\\w+)@',
        uri_regex: '@(?<domain>[a-z.]+)$',
        headers: { subject: 're:^Re: (?<what>.*)$' },
        body: { any_of: ['re:^x(?<what>.)', 're:^n=(?<n>\\d)'] },
        response: {
          body: '{{request.params.user}} at {{request.params.domain}} {{request.params.what}} {{request.params.n}}',
        },
      },
    ]);
    const client = new UdpClient(port);
    const request = { uri: 'sip:ann@example.com', headers: ['Subject: Re: it'], body: 'n=4' };
    const answer = await client.ask(makeRequest('MESSAGE', request));
    expect(answer.body).toBe('ann at example.com it 4');
  });

  it('carries JSON and bytes, and sees the parts of the request', async () => {
    const { port } = await startHost([
      { method: 'MESSAGE', uri: 'sip:json@*', response: { json: { sdp: '{{request.parts.1.type}}' } } },
      { method: 'MESSAGE', uri: 'sip:bytes@*', response: { body_base64: 'AAEC' } },
    ]);
    const client = new UdpClient(port);
    const ask = async (user: string): Promise<unknown> => {
      const answer = await client.ask(
        makeRequest('MESSAGE', {
          uri: `sip:${user}@example.com`,
          headers: ['Content-Type: multipart/mixed; boundary=b'],
          body: '--b\r\n\r\na\r\n--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--b--\r\n',
        }),
      );
      return [answer.headers['content-type'], answer.body];
    };
    expect(await ask('json')).toEqual([['application/json'], '{"sdp":"application/sdp"}']);
    expect(await ask('bytes')).toEqual([['application/octet-stream'], '\0\x01\x02']);
  });

  it('escapes what it inserts as the content type says, by either of its names', async () => {
    const types = { pidf: 'application/pidf+xml', json: 'application/json', text: 'text/plain' };
    const { port } = await startHost(
      Object.entries(types).map(([user, type]) => ({
        method: 'MESSAGE',
        uri: `sip:${user}@*`,
        response: {
          headers: { [user === 'json' ? 'c' : 'Content-Type']: type },
          body: '<note>{{request.raw_body}}</note>',
        },
      })),
    );
    const client = new UdpClient(port);
    const ask = async (user: string): Promise<string> => {
      const options = { uri: `sip:${user}@example.com`, body: 'a "b" <c>' };
      return (await client.ask(makeRequest('MESSAGE', options))).body;
    };
    expect(await ask('pidf')).toBe('<note>a &quot;b&quot; &lt;c&gt;</note>');
    expect(await ask('json')).toBe('<note>a \\"b\\" <c></note>');
    expect(await ask('text')).toBe('<note>a "b" <c></note>');
  });

  it('says where a request came from when its Via is wrong about it, and answers there', async () => {
    const { port } = await startHost();
    const client = new UdpClient(port);
    const forged = 'SIP/2.0/UDP 192.0.2.1:9;branch=z9hG4bKforged';
    expect((await client.ask(makeRequest('OPTIONS', { via: forged }))).headers['via']).toEqual([
      `${forged};received=127.0.0.1`,
    ]);
  });

  it('reads compact names, folded lines and other spellings', async () => {
    const { port, host } = await startHost([
      { id: 'm', method: 'MESSAGE', response: { body: '{{request.body}}' } },
    ]);
    const client = new UdpClient(port);
    const text = [
      'MESSAGE sip:alice@example.com sip/2.0',
      'v:SIP / 2.0 / UDP 127.0.0.1',
      '\t;rport;branch=z9hG4bKfold',
      'f : <sip:a@b>;tag=1',
      't: "Quoted, <comma>" <sip:c@d>;tag=given',
      'I: compact@test',
      'cSEQ: 7',
      ' MESSAGE',
      'm: <sip:a@b>',
      'c: text/plain',
      'k: 100rel',
      's: a long',
      '  subject',
      'l: 2',
    ].join('\r\n');
    const answer = await client.ask(`${text}\r\n\r\nhi, and what is beyond Content-Length`);
    expect([answer.status, answer.body, answer.headers['cseq']]).toEqual([200, 'hi', ['7 MESSAGE']]);
    expect(answer.headers['to']).toEqual(['"Quoted, <comma>" <sip:c@d>;tag=given']);
    expect(host.journal.list()[0]?.['headers']).toMatchObject({
      subject: 'a long subject',
      supported: '100rel',
      contact: '<sip:a@b>',
      'content-type': 'text/plain',
    });
  });

  it('answers OPTIONS with what it can do', async () => {
    const { port } = await startHost();
    const { status, headers } = await new UdpClient(port).ask(makeRequest('OPTIONS'));
    expect([status, headers['accept']]).toEqual([200, ['application/sdp']]);
    expect(headers['allow']?.[0]).toContain('INVITE, ACK, CANCEL, BYE');
  });

  it.each([
    [['Contact: <sip:a@192.0.2.1>', 'Expires: 60'], ['<sip:a@192.0.2.1>;expires=60'], ['60']],
    [['Contact: sip:a@192.0.2.1'], ['<sip:a@192.0.2.1>;expires=3600'], ['3600']],
    [
      ['m: <sip:a@192.0.2.1>;expires=30, "B, C" <sip:b@192.0.2.2>;q=0.5'],
      ['<sip:a@192.0.2.1>;expires=30', '"B, C" <sip:b@192.0.2.2>;q=0.5;expires=3600'],
      ['3600'],
    ],
    [['Contact: *', 'Expires: 0'], undefined, ['0']],
    [['Contact: <sip:a@192.0.2.1>;expires=0'], undefined, undefined],
    [[], undefined, undefined],
  ])('registers %j', async (headers, contact, expires) => {
    const { port } = await startHost();
    const answer = await new UdpClient(port).ask(makeRequest('REGISTER', { headers }));
    expect(answer.status).toBe(200);
    expect(answer.headers['contact']).toEqual(contact);
    expect(answer.headers['expires']).toEqual(expires);
  });

  it.each(['INVITE', 'INFO', 'MESSAGE', 'SUBSCRIBE', 'NOTIFY', 'PUBLISH', 'REFER', 'UPDATE', 'PRACK', 'BYE'])(
    'answers 404 to an %s that no mock matches',
    async (method) => {
      const { port } = await startHost();
      expect((await new UdpClient(port).ask(makeRequest(method))).status).toBe(404);
    },
  );

  it('answers 405 to a method that is not known, unless a mock does', async () => {
    const { port } = await startHost([{ method: 'DANCE', response: { status: 202 } }]);
    const client = new UdpClient(port);
    const refused = await client.ask(makeRequest('SING'));
    expect([refused.status, refused.headers['allow']?.length]).toEqual([405, 1]);
    expect((await client.ask(makeRequest('DANCE'))).status).toBe(202);
  });

  it.each<[number, string, Parameters<typeof makeRequest>[1]]>([
    [400, 'CSeq Method Does Not Match The Request', { cseq: '1 INVITE' }],
    [400, 'Malformed CSeq Header Field', { cseq: '99999999999 MESSAGE' }],
    [400, 'Malformed Via Header Field', { via: 'nonsense' }],
    [400, 'A Header Field That May Come Once Came Twice', { headers: ['Call-ID: b'] }],
    [400, 'Malformed Header Field', { headers: ['no colon here'] }],
    [400, 'Header Field Too Long', { headers: [`X: ${'x'.repeat(9000)}`] }],
    [400, 'Too Many Header Fields', { headers: Array.from({ length: 500 }, () => 'X: y') }],
    [400, 'Several Content-Length Header Fields', { headers: ['l: 7'] }],
    [400, 'Malformed Request-URI', { uri: 'alice' }],
    [420, 'Bad Extension', { headers: ['Require: 100rel, path'] }],
  ])('answers %d %s', async (status, reason, parts) => {
    const { port, log } = await startHost([{ method: 'MESSAGE' }]);
    const answer = await new UdpClient(port).ask(makeRequest('MESSAGE', parts));
    expect([answer.status, answer.reason]).toEqual([status, reason]);
    if (status === 420) expect(answer.headers['unsupported']).toEqual(['100rel, path']);
    expect(log).toEqual([]);
  });

  it.each([
    ['a version that is not 2.0', 505, / SIP\/2\.0\r\n/, ' SIP/3.0\r\n'],
    ['Max-Forwards beyond 255', 400, /Max-Forwards: 70/, 'Max-Forwards: 256'],
    ['Max-Forwards that is no number', 400, /Max-Forwards: 70/, 'Max-Forwards: many'],
    ['Content-Length beyond the datagram', 400, /Content-Length: 0/, 'Content-Length: 10'],
    ['Content-Length that is no number', 400, /Content-Length: 0/, 'Content-Length: -1'],
  ])('refuses %s with %d', async (_name, status, from, to) => {
    const { port } = await startHost([{ method: 'MESSAGE' }]);
    expect((await new UdpClient(port).ask(makeRequest('MESSAGE').replace(from, to))).status).toBe(status);
  });

  it.each(['Via', 'From', 'To', 'Call-ID', 'CSeq'])('is silent about a request without %s', async (name) => {
    const { port } = await startHost([{}]);
    const client = new UdpClient(port);
    await client.send(makeRequest('MESSAGE').replace(new RegExp(`^${name}:.*\r\n`, 'm'), ''));
    await client.send('SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP a\r\n\r\n');
    expect(await client.settle()).toEqual([]);
  });

  it('takes 100 Contacts in a REGISTER, and no more', async () => {
    const { port } = await startHost();
    const client = new UdpClient(port);
    const register = (count: number) => {
      const contacts = Array.from({ length: count }, (_, n) => `<sip:a${n}@127.0.0.1>`);
      return client.ask(makeRequest('REGISTER', { headers: [`Contact: ${contacts.join(', ')}`] }));
    };
    const answer = await register(100);
    expect([answer.status, answer.headers['contact']?.length]).toEqual([200, 100]);
    const refused = await register(101);
    expect([refused.status, refused.reason]).toEqual([400, 'Too Many Contacts']);
  });
});

describe('mocks', () => {
  it('match method, URI pattern and regular expression, and say why they do not', async () => {
    const { port, host } = await startHost([
      { id: 'bob', method: 'message', uri: 'sip:bob@*', uri_regex: 'com$' },
      { id: 'exact', uri: 'sip:eve@example.org', response: { status: 480 } },
    ]);
    const client = new UdpClient(port);
    const status = async (method: string, uri: string): Promise<number> =>
      (await client.ask(makeRequest(method, { uri }))).status;
    expect(await status('MESSAGE', 'sip:bob@example.com')).toBe(200);
    expect(await status('MESSAGE', 'sip:bob@example.org')).toBe(404);
    expect(await status('INFO', 'sip:bob@example.com')).toBe(404);
    expect(await status('INFO', 'sip:eve@example.org')).toBe(480);
    const [entry] = host.journal.list({ unmatched: true });
    expect(entry?.['near_misses']).toContainEqual({
      mock_id: 'bob',
      reason: 'uri: got "sip:bob@example.org", want a match of "re:com$"',
    });
    expect(entry).toMatchObject({ method: 'MESSAGE', path: 'sip:bob@example.org', status: 404 });
  });

  it('match headers and the body, and say what differs', async () => {
    const { port, host } = await startHost([
      {
        id: 'order',
        method: 'MESSAGE',
        headers: { Subject: 'order*', From: { contains: 'tester@' } },
        body: { json: { partial: { amount: 5 } } },
        response: { status: 202 },
      },
    ]);
    const client = new UdpClient(port);
    const send = async (subject: string, body: string): Promise<number> =>
      (await client.ask(makeRequest('MESSAGE', { headers: [`s: ${subject}`], body }))).status;
    expect(await send('order 7', '{"amount":5,"of":"tea"}')).toBe(202);
    expect(await send('order 7', '{"amount":6}')).not.toBe(202);
    expect(await send('other', '{"amount":5}')).not.toBe(202);
    const headers = { subject: 'order', from: '<sip:tester@a>' };
    const entry = { method: 'MESSAGE', path: 'sip:a@b', headers };
    expect(host.kind('sip').explain({ ...entry, body: '{"amount":5}' })).toMatchObject({ mock_id: 'order' });
    expect(host.kind('sip').explain({ ...entry, body: '{"amount":"5"}' }).others).toEqual([
      { mock_id: 'order', reason: 'body: at amount got "5", want 5' },
    ]);
    expect(host.kind('sip').explain({ ...entry, headers: {} }).others).toEqual([
      { mock_id: 'order', reason: 'header Subject: absent, want "order*"' },
    ]);
  });

  it('render headers, URI parts, method and body, which cannot inject', async () => {
    const body =
      'a: {{request.method}} {{request.uri.host}}:{{request.uri.port}} {{request.uri.params.x}} {{request.from}} {{headers.subject}}';
    const { port } = await startHost([
      {
        method: 'MESSAGE',
        response: {
          status: 202,
          reason: 'Taken',
          headers: { 'X-Body': '{{request.body}}', 'X-Two': ['1', '2'], 'Content-Type': 'text/x' },
          body,
        },
      },
    ]);
    const answer = await new UdpClient(port).ask(
      makeRequest('MESSAGE', {
        uri: 'sip:al:pw@[::1]:99;X=1?h=v',
        headers: ['Subject: hello'],
        body: 'one\r\nX-Evil: 1\r\n\r\ntwo',
      }),
    );
    expect([answer.status, answer.reason]).toEqual([202, 'Taken']);
    expect(answer.headers['x-evil']).toBeUndefined();
    expect(answer.headers['x-body']).toEqual(['one X-Evil: 1 two']);
    expect(answer.headers['x-two']).toEqual(['1', '2']);
    expect(answer.headers['content-type']).toEqual(['text/x']);
    expect(answer.body).toBe('a: MESSAGE [::1]:99 1 sip:tester@example.com hello');
  });

  it('are told apart by explain, which says what it cannot read', async () => {
    const { host } = await startHost([
      { id: 'bob', method: 'INVITE', uri: 'sip:bob@*' },
      { id: 'both', uri: { equals: 'sip:al@a', not: 'sip:al@a' } },
    ]);
    const kind = host.kind('sip');
    expect(kind.explain({ method: 'INVITE', path: 'sip:bob@b' })).toMatchObject({
      outcome: 'matched',
      mock_id: 'bob',
    });
    expect(kind.explain({ method: 'INFO', path: 'sip:al@a' })).toMatchObject({ outcome: 'unmatched' });
    expect(() => kind.explain({ path: 'sip:bob@b' })).toThrow(
      'method is missing; it must be one word such as INVITE',
    );
    expect(() => kind.explain({ method: 'INVITE', path: 'bob' })).toThrow(
      'path is "bob"; it must be the Request-URI',
    );
  });

  it('miss nothing where the server itself knows the answer', async () => {
    const { port, host } = await startHost([{ method: 'INVITE' }]);
    const client = new UdpClient(port);
    for (const method of ['OPTIONS', 'REGISTER', 'INFO']) await client.ask(makeRequest(method));
    expect(host.journal.list({ unmatched: true }).map(({ method }) => method)).toEqual(['INFO']);
  });

  it('are asked however few proxies may follow', async () => {
    const { port } = await startHost([{ method: 'MESSAGE', response: { status: 202 } }]);
    const client = new UdpClient(port);
    for (const left of ['0', '0068', '255']) {
      const request = makeRequest('MESSAGE').replace('Max-Forwards: 70', `Max-Forwards: ${left}`);
      expect((await client.ask(request)).status).toBe(202);
    }
  });

  it('take part in state and scenarios', async () => {
    const { port, host } = await startHost([
      { id: 'first', method: 'INFO', state: { key: 'step', value: '' }, set_state: { step: '2' } },
      { id: 'second', method: 'INFO', state: { key: 'step', value: '2' }, response: { status: 480 } },
    ]);
    const client = new UdpClient(port);
    expect((await client.ask(makeRequest('INFO'))).status).toBe(200);
    expect((await client.ask(makeRequest('INFO'))).status).toBe(480);
    host.scenarios.create({ id: 'busy', patches: [{ mock_id: 'second', status: 600, body: 'no' }] });
    host.scenarios.activate('busy');
    const answer = await client.ask(makeRequest('INFO'));
    expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([600, 'no', ['text/plain']]);
  });

  it.each<[Record<string, unknown>, number, string]>([
    [{ status: 486 }, 486, 'Busy Here'],
    [{ status: 500, reason: 'Out Of Order' }, 500, 'Out Of Order'],
    [{}, 503, 'Service Unavailable'],
    [{ status: 499 }, 499, 'Request Failure'],
  ])('are spoiled by the fault %j', async (fault, status, reason) => {
    const { port, host } = await startHost([{ method: 'MESSAGE' }]);
    host.faults.set('sip', fault);
    const answer = await new UdpClient(port).ask(makeRequest('MESSAGE'));
    expect([answer.status, answer.reason]).toEqual([status, reason]);
  });

  it('are dropped by a fault, the request that comes again too', async () => {
    const { port, host } = await startHost([{ method: 'INVITE', provisional: [180] }]);
    host.faults.set('sip', { drop: true });
    const client = new UdpClient(port);
    const invite = makeRequest('INVITE');
    await client.send(invite);
    await client.send(invite);
    expect(await client.settle()).toEqual([]);
    expect(host.journal.list()).toHaveLength(1);
    expect(() => host.faults.set('sip', { reason: 'a\nb' })).toThrow(/line break/);
  });

  it('answer what does not fit into a datagram only over TCP', async () => {
    const { port } = await startHost([{ method: 'MESSAGE', response: { body: 'x'.repeat(65_400) } }]);
    expect((await new UdpClient(port).ask(makeRequest('MESSAGE'))).reason).toBe('Answer Too Large For UDP');
    expect((await new TcpClient(port).ask(makeRequest('MESSAGE'))).body).toHaveLength(65_400);
  });
});
