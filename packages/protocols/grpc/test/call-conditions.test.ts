import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { credentials, Client, Metadata, type StatusObject } from '@grpc/grpc-js';
import { get, readAll, startHost } from './support/grpc-host.js';

const METHOD = 'acme.Users/Get';
const CHAT = 'acme.Users/Chat';

/** A deadline so far away that no test meets it. */
function inAnHour(): Date {
  return new Date(Date.now() + 3_600_000);
}

/** A client that retries calls which end with UNAVAILABLE, at once unless it is told when; resolves with what came. */
function getWithRetries(port: number): Promise<StatusObject & { readonly attempts: number }> {
  const retryPolicy = {
    maxAttempts: 3,
    initialBackoff: '3600s',
    maxBackoff: '3600s',
    backoffMultiplier: 1,
    retryableStatusCodes: ['UNAVAILABLE'],
  };
  const config = { methodConfig: [{ name: [{ service: 'acme.Users' }], retryPolicy }] };
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.service_config': JSON.stringify(config),
  });
  return new Promise((resolve) => {
    const same = (bytes: Buffer): Buffer => bytes;
    const call = client.makeUnaryRequest(`/${METHOD}`, same, same, Buffer.alloc(0), () => undefined);
    let attempts = 0;
    call.on('metadata', (metadata: Metadata) => {
      attempts = Number(metadata.get('grpc-previous-rpc-attempts')[0] ?? 0);
    });
    call.on('status', (status: StatusObject) => {
      client.close();
      resolve({ ...status, attempts });
    });
  });
}

describe('mocks match on the call itself', () => {
  it('on metadata, in any case, several values with commas between, binary ones as base64', async () => {
    const { add, users, host } = await startHost();
    add(
      { id: 'tenant', method: METHOD, headers: { 'X-Tenant': 'a*' }, response: { name: 'tenant' } },
      { id: 'binary', method: METHOD, headers: { 'x-key-bin': 'AP8=' }, response: { name: 'binary' } },
      { id: 'two', method: METHOD, headers: { 'x-tenant': 'b, a*' }, response: { name: 'two' } },
      {
        id: 'none',
        method: METHOD,
        headers: { authorization: { absent: true } },
        response: { name: 'anonymous' },
      },
    );
    const ask = async (metadata: Readonly<Record<string, string>>) =>
      (await get(users, {}, {}, metadata)).value;
    expect(await ask({ 'x-tenant': 'acme' })).toMatchObject({ name: 'tenant' });
    expect(await ask({ 'x-tenant': 'b' })).toMatchObject({ name: 'anonymous' });
    const two = new Metadata();
    two.add('x-tenant', 'b');
    two.add('x-tenant', 'acme');
    expect(
      await new Promise((resolve) => void users.Get({}, two, {}, (_error, value) => resolve(value))),
    ).toMatchObject({ name: 'two' });
    const binary = new Metadata();
    binary.add('x-key-bin', Buffer.from([0, 255]));
    expect(
      await new Promise((resolve) => void users.Get({}, binary, {}, (_error, value) => resolve(value))),
    ).toMatchObject({ name: 'binary' });
    expect(await get(users, {}, {}, { authorization: 'Bearer x', 'x-tenant': 'b' })).toMatchObject({
      code: 'UNIMPLEMENTED',
    });
    const [last] = host.journal.list().filter(({ status }) => status === 'UNIMPLEMENTED');
    expect(last?.near_misses).toEqual([
      expect.objectContaining({ mock_id: 'tenant', reason: 'header X-Tenant: got "b", want "a*"' }),
      expect.objectContaining({ mock_id: 'binary' }),
      expect.objectContaining({ mock_id: 'two' }),
    ]);
  });

  it('on expressions, whose groups are parameters of templates, for metadata, request and each message', async () => {
    const { add, users } = await startHost();
    add(
      {
        method: METHOD,
        headers: { 'x-tenant': 're:^t-(?<tenant>\\w+)$' },
        match: { name: { any_of: ['re:^(?<who>x)$', 're:^user (?<who>\\w+)'] } },
        response: { name: '{{request.params.tenant}} {{request.params.who}}' },
      },
      {
        method: CHAT,
        headers: { 'x-tenant': 're:^t-(?<tenant>\\w+)$' },
        on_message: [
          { match: { name: 're:^(?<lost>say) x' } },
          {
            match: { name: 're:^say (?<word>\\w+)' },
            respond: { name: '{{request.params.tenant}} {{request.params.word}}{{request.params.lost}}' },
          },
        ],
      },
    );
    const { value } = await get(users, { name: 'user ann' }, {}, { 'x-tenant': 't-a' });
    expect(value).toMatchObject({ name: 'a ann' });
    const metadata = new Metadata();
    metadata.set('x-tenant', 't-b');
    const call = users.Chat(metadata);
    const answers = readAll(call);
    for (const word of ['one', 'two']) call.write({ name: `say ${word}` });
    call.end();
    expect(await answers).toMatchObject([{ name: 'b one' }, { name: 'b two' }, 'OK']);
  });

  it('on the deadline in milliseconds, and on there being none', async () => {
    const { add, users, host } = await startHost();
    add(
      {
        id: 'long',
        method: METHOD,
        deadline: { gt: 60_000 },
        response: { name: 'long {{request.deadline}}' },
      },
      { id: 'none', method: METHOD, deadline: { absent: true }, response: { name: 'none' } },
    );
    const { value } = await get(users, {}, { deadline: inAnHour() });
    expect(value?.['name']).toMatch(/^long 3[56]\d{5}/);
    expect((await get(users)).value).toMatchObject({ name: 'none' });
    const [first] = host.journal.list();
    expect(first?.headers?.['grpc-timeout']).toMatch(/^3[56]\d{5}m$/);
    const kind = host.kind('grpc');
    expect(kind.explain(first)).toMatchObject({ mock_id: 'long' });
    expect(kind.explain({ path: `/${METHOD}`, deadline: 61_000 })).toMatchObject({ mock_id: 'long' });
    expect(kind.explain({ path: `/${METHOD}`, deadline: 5 }).others).toEqual([
      { mock_id: 'long', reason: expect.stringContaining('deadline: got 5, want') as unknown },
      { mock_id: 'none', reason: 'deadline: got "5", want absent' },
    ]);
  });

  it('on the host that the client asks, which explanations and templates know as well', async () => {
    const { add, users, host, port, kind } = await startHost();
    add(
      {
        id: 'one',
        method: METHOD,
        host: { any_of: ['one.example.com', 'plain.example.com:8080'] },
        response: { name: 'one of {{request.host}}' },
      },
      { id: 'other', method: METHOD, response: { name: 'other' } },
    );
    const ask = async (authority: string): Promise<unknown> =>
      (await get(users, {}, { host: authority })).value?.['name'];
    expect(await ask('one.example.com')).toBe('one of one.example.com');
    expect(await ask('ONE.example.com:80')).toBe('one of one.example.com');
    expect(await ask('plain.example.com:8080')).toBe('one of plain.example.com:8080');
    expect(await ask('one.example.com:443')).toBe('other');
    const connect = (Host: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { Host, 'Content-Type': 'application/json' };
        const asked = request({ port, method: 'POST', path: `/${METHOD}`, headers }, (answer) =>
          answer.setEncoding('utf8').once('data', resolve),
        );
        asked.on('error', reject).end('{}');
      });
    expect(await connect('one.example.com')).toContain('one of one.example.com');
    const [first, ...others] = host.journal.list();
    expect(first?.headers).toMatchObject({ ':authority': 'one.example.com' });
    expect(others.at(-1)?.headers).toMatchObject({ host: 'one.example.com' });
    expect(kind.explain(first)).toMatchObject({ mock_id: 'one' });
    expect(kind.explain({ path: `/${METHOD}`, host: 'one.example.com:443' })).toMatchObject({
      mock_id: 'one',
    });
    expect(kind.explain({ path: `/${METHOD}`, host: 'two.example.com' }).others).toEqual([
      { mock_id: 'one', reason: expect.stringContaining('host: got "two.example.com", want') as unknown },
    ]);
  });

  it('on the address of the client', async () => {
    const { add, users, host } = await startHost();
    add(
      { id: 'far', method: METHOD, peer: '10.*' },
      { id: 'near', method: METHOD, peer: '127.0.0.1:*', response: { name: '{{request.peer}}' } },
    );
    const { value } = await get(users);
    expect(value).toMatchObject({ name: host.journal.list()[0]?.remote });
    const { others } = host.kind('grpc').explain({ path: `/${METHOD}`, peer: '10.0.0.7:1' });
    expect(others).toEqual([{ mock_id: 'near', reason: 'peer: got "10.0.0.7:1", want "127.0.0.1:*"' }]);
  });

  it('before the first message, unless a pattern compares with the message', async () => {
    const { add, users } = await startHost();
    add(
      {
        id: 'early',
        method: CHAT,
        headers: { 'x-name': { absent: true } },
        stream: [{ response: { name: 'early' } }],
      },
      {
        id: 'message',
        method: CHAT,
        headers: { 'x-name': { same_as: '{{request.body.name}}' } },
        stream: [{ response: { name: 'same' } }],
      },
    );
    const { Chat: chat } = users;
    const metadata = new Metadata();
    metadata.set('x-name', 'Ada');
    const same = chat.call(users, metadata);
    same.end({ name: 'Ada' });
    expect(await readAll(same)).toMatchObject([{ name: 'same' }, 'OK']);
    const early = users.Chat();
    expect(await new Promise((resolve) => early.once('data', resolve))).toMatchObject({ name: 'early' });
    early.end();
    expect(await readAll(early)).toEqual(['OK']);
  });

  it('as faults do', async () => {
    const { add, users, host } = await startHost();
    add({ method: METHOD });
    host.kind('grpc').fault?.set({ match: { headers: { 'x-tenant': 'a' } } });
    expect((await get(users, {}, {}, { 'x-tenant': 'a' })).code).toBe('UNAVAILABLE');
    expect((await get(users, {}, {}, { 'x-tenant': 'b' })).code).toBe('OK');
  });

  it.each([
    [{ headers: { deadline: 5 } }, '', 'header "deadline" is 5; it must be a text or a list of texts'],
    [{ deadline: 'soon' }, '', 'deadline is "soon"; it must be a whole number of milliseconds'],
  ])('are not explained for %j', async (entry, _none, problem) => {
    const { host } = await startHost();
    expect(() => host.kind('grpc').explain({ path: `/${METHOD}`, ...entry })).toThrow(problem);
  });
});

describe('grpc-retry-pushback-ms', () => {
  it('tells a client when to try again, and matching on the attempts lets one of them through', async () => {
    const { add, port, host } = await startHost();
    add(
      {
        id: 'first',
        method: METHOD,
        headers: { 'grpc-previous-rpc-attempts': { absent: true } },
        error: { code: 'UNAVAILABLE' },
        trailers: { 'grpc-retry-pushback-ms': '1' },
      },
      { id: 'second', method: METHOD },
    );
    // The policy alone would wait for an hour.
    expect((await getWithRetries(port)).code).toBe(0);
    expect(host.journal.list().map(({ matched_id: id }) => id)).toEqual(['first', 'second']);
  });

  it('forbids to try again when it is negative', async () => {
    const { add, port, host } = await startHost();
    const trailers = { 'grpc-retry-pushback-ms': '-1' };
    add({ method: METHOD, error: { code: 'UNAVAILABLE', message: 'not now' }, trailers });
    expect(await getWithRetries(port)).toMatchObject({ details: 'not now' });
    expect(host.journal.list()).toHaveLength(1);
  });

  it('belongs into the trailers', async () => {
    const { add } = await startHost();
    expect(() => add({ method: METHOD, metadata: { 'grpc-retry-pushback-ms': '1' } })).toThrow(
      'clients read "grpc-retry-pushback-ms" in the trailers alone; give it there',
    );
    expect(() => add({ method: METHOD, trailers: { 'grpc-status': '1' } })).toThrow('is set by gRPC itself');
  });
});
