import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Metadata, type StatusObject } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { get, readAll, startHost } from './support/grpc-host.js';

const ADA = {
  id: '9007199254740993',
  name: 'Ada',
  role: 'ADMIN',
  labels: { team: 'x' },
  email: 'ada@acme.test',
  photo: 'AP8=',
  address: { city: 'Bonn' },
  created_at: '2026-01-31T12:00:00Z',
  lifetime: '1.5s',
  scores: [1, -2],
};

describe('calls with generated clients', () => {
  it('answer one message with every kind of field', async () => {
    const { add, users } = await startHost();
    add({ method: 'acme.Users/Get', response: ADA });
    const { value } = await get(users, { id: '5' });
    expect(value).toEqual({
      ...ADA,
      contact: 'email',
      photo: Buffer.from([0, 255]),
      created_at: { seconds: '1769860800', nanos: 0 },
      lifetime: { seconds: '1', nanos: 500_000_000 },
    });
  });

  it('match on nested values, any element and what is in a text', async () => {
    const { add, users, host } = await startHost();
    add(
      {
        id: 'deep',
        method: 'Users/Get',
        match: { name: { json_path: '$.tags[?@ == "x"]' } },
        response: { name: 'deep' },
      },
      {
        id: 'inside',
        method: 'Users/Get',
        match: { 'name.user.id': { gt: 5 } },
        response: { name: 'inside' },
      },
      { id: 'number', method: 'Users/Get', match: { id: { gte: 7, lt: 9 } }, response: { name: 'number' } },
    );
    expect((await get(users, { name: '{"tags":["x"]}' })).value).toMatchObject({ name: 'deep' });
    expect((await get(users, { name: '{"user":{"id":6}}' })).value).toMatchObject({ name: 'inside' });
    expect((await get(users, { id: 8 })).value).toMatchObject({ name: 'number' });
    expect(await get(users, { id: 9 })).toMatchObject({ code: 'UNIMPLEMENTED' });
    const method = 'acme.Users/Chat';
    add({ method, match: { address: { city: 'B*' }, scores: [5], labels: { team: 'x' } } });
    expect(() => add({ method, match: { address: { town: 'x' } } })).toThrow(
      '"town" is no field of acme.User.Address',
    );
    expect(host.kind('grpc').mocks.list()).toHaveLength(4);
  });

  it('match on fields, defaults included, and render the request', async () => {
    const { add, users, host } = await startHost();
    add(
      {
        id: 'seven',
        method: 'Get',
        match: { id: '7' },
        response: { id: '{{request.body.id}}', name: 'seven' },
      },
      {
        id: 'none',
        method: 'Users/Get',
        match: { name: { equals: '' }, id: { not: '8' } },
        response: { name: 'no name' },
      },
      {
        id: 'any',
        method: '/acme.Users/Get',
        response: {
          name: '{{request.body.name}} {{request.headers.x-tag}} {{request.service}}',
          scores: ['{{request.body.id}}'],
        },
      },
    );
    expect((await get(users, { id: 7 })).value).toMatchObject({ id: '7', name: 'seven' });
    expect((await get(users, { id: 6 })).value).toMatchObject({ name: 'no name' });
    expect((await get(users, { id: 8 }, {}, { 'x-tag': 'T' })).value).toMatchObject({
      name: ' T acme.Users',
      scores: [8],
    });
    expect(host.journal.list()[0]).toMatchObject({
      method: 'Get',
      path: '/acme.Users/Get',
      status: 'OK',
      body: '{"id":"7","name":""}',
      matched_id: 'seven',
      response: { body: '{"id":"7","name":"seven"}' },
    });
  });

  it.each([
    'Get',
    'G*t',
    'Users/Get',
    '/Users/*',
    'acme.Users/Get',
    '/acme.Users/Get',
    'acme.*',
    '*',
    're:^Get$',
    're:^Users/',
    're:^/acme',
  ])('are found by the method %s', async (method) => {
    const { add, users } = await startHost();
    add({ method: 'Got', response: { name: 'other' } }, { method, response: { name: 'found' } });
    expect((await get(users)).value).toMatchObject({ name: 'found' });
  });

  it.each([
    ['nam', '"nam" is no field of acme.User; known are id, name,'],
    ['createdAt', '"createdAt" is no field of acme.User'],
    ['address.town', '"town" is no field of acme.User.Address; known are city'],
    ['id.x', '"id" holds no fields'],
    ['scores.0.x', '"scores.0" holds no fields'],
    [
      'scores.first',
      '"scores" is a list; name an element by its number, such as "scores.0", or any by "scores.*"',
    ],
  ])('are not matched by %s, which no request has', async (place, problem) => {
    const { add, host } = await startHost();
    expect(() => add({ method: 'acme.Users/Chat', match: { [place]: 'x' } })).toThrow(problem);
    expect(host.kind('grpc').mocks.list()).toEqual([]);
  });

  it.each([
    '',
    'name',
    'labels',
    'labels.any',
    'scores',
    'scores.7',
    'created_at',
    'created_at.x',
    'address.city',
    'name.inside.json',
    'scores[*]',
    'scores.-1',
  ])('can be matched by "%s"', async (place) => {
    const { add, host } = await startHost();
    add({ method: 'Chat', match: { [place]: 'x' } });
    expect(host.kind('grpc').mocks.list()).toHaveLength(1);
  });

  it('are explained as the journal shows them, and by hand', async () => {
    const { add, users, host } = await startHost();
    add({ id: 'seven', method: 'Users/Get', match: { id: '7' }, response: { name: '{{request.body.id}}' } });
    await get(users, { id: 7 });
    const kind = host.kind('grpc');
    expect(kind.explain(host.journal.list()[0])).toMatchObject({ outcome: 'matched', mock_id: 'seven' });
    expect(kind.explain({ method: 'Users/Get', body: { id: '7' } })).toMatchObject({ mock_id: 'seven' });
    // Some messages are lists or numbers in JSON (google.protobuf.ListValue).
    expect(kind.explain({ path: '/acme.Users/Get', body: [] })).toMatchObject({ outcome: 'unmatched' });
    expect(kind.explain({ path: '/acme.Users/Get', body: '{"id": "8"}' }).others).toEqual([
      { mock_id: 'seven', reason: 'request id: got "8", want "7"' },
    ]);
  });

  it.each([
    [{}, 'path is missing; it is /package.Service/Method'],
    [{ path: 5 }, 'path is 5; it must be a text'],
    [{ path: 'a/b', remote: 5 }, 'remote is 5; it must be a text'],
    [{ path: 'a/b', body_encoding: 'hex' }, 'body_encoding is "hex"; it can only be "base64"'],
    [{ path: 'a/b', headers: 'x' }, 'headers must be an object'],
  ])('are not explained when the entry is %j', async (entry, problem) => {
    const { host } = await startHost();
    expect(() => host.kind('grpc').explain(entry)).toThrow(problem);
  });

  it('say which method is not mocked, and why', async () => {
    const { add, users, host } = await startHost();
    add({ id: 'seven', method: 'acme.Users/Get', match: { id: '7' }, response: {} });
    expect(await get(users, { id: 8 })).toMatchObject({
      code: 'UNIMPLEMENTED',
      message: 'method /acme.Users/Get not mocked',
    });
    expect(host.journal.list()[0]).toMatchObject({
      status: 'UNIMPLEMENTED',
      near_misses: [{ mock_id: 'seven', reason: 'request id: got "8", want "7"' }],
    });
  });

  it('stream to the client, with delays on the virtual clock', async () => {
    const { add, users, host } = await startHost();
    add({
      method: 'Watch',
      stream: [{ response: { name: 'a' } }, { response: { name: '{{request.body.name}}' }, delay: '1h' }],
      trailers: { 'x-end': 'yes' },
    });
    const call = users.Watch({ name: 'b' });
    const all = readAll(call);
    await eventually(() => host.streams.list().length === 1);
    await host.clock.advance(3_600_000);
    expect(await all).toMatchObject([{ name: 'a' }, { name: 'b' }, 'OK']);
    expect(host.streams.list()).toEqual([]);
  });

  it('answer a streaming method that has a response alone, once', async () => {
    const { add, users } = await startHost();
    add({ method: 'Watch', response: { name: 'only' } });
    expect(await readAll(users.Watch({}))).toMatchObject([{ name: 'only' }, 'OK']);
  });

  it('end a stream with the error of the mock', async () => {
    const { add, users } = await startHost();
    add({
      method: 'Watch',
      stream: [{ response: { name: 'a' } }],
      error: { code: 'DATA_LOSS', message: 'lost' },
    });
    expect(await readAll(users.Watch({}))).toMatchObject([{ name: 'a' }, 'DATA_LOSS: lost']);
  });

  it('take a stream of messages and answer when it ends', async () => {
    const { add, users, host } = await startHost();
    add({
      method: 'Add',
      match: { name: 'first' },
      response: { count: 2, names: ['{{request.messages.0.name}}', '{{request.messages.1.name}}'] },
    });
    let answered = false;
    const answer = new Promise((resolve) => {
      const call = users.Add((error, value) => {
        answered = true;
        resolve(error ?? value);
      });
      call.write({ name: 'first' });
      call.write({ name: 'second' });
      void eventually(() => host.kind('grpc').calls.of('none').count === 0).then(() => {
        expect(answered).toBe(false);
        call.end();
      });
    });
    expect(await answer).toEqual({ count: 2, names: ['first', 'second'] });
  });

  it('talk both ways: a mock with a stream answers the first message', async () => {
    const { add, users } = await startHost();
    add({
      method: 'Chat',
      stream: [{ response: { name: 'hello {{request.body.name}}' } }],
      keep_open: false,
    });
    const call = users.Chat();
    call.write({ name: 'Ada' });
    expect(await readAll(call)).toMatchObject([{ name: 'hello Ada' }, 'OK']);
  });

  it('begin before the first message when the mock needs none', async () => {
    const { add, users, host } = await startHost();
    add({ id: 'chat', method: 'Chat', stream: [{ response: { name: 'welcome' } }], keep_open: true });
    const call = users.Chat();
    const all = readAll(call);
    await eventually(() => host.streams.list().length === 1);
    host.streams.push({ protocol: 'grpc', mock_id: 'chat' }, { name: 'pushed', role: 2 });
    host.streams.push({ protocol: 'grpc', mock_id: 'chat' }, '{"name": "text"}');
    host.streams.close({ protocol: 'grpc', mock_id: 'chat' }, undefined);
    expect(await all).toMatchObject([
      { name: 'welcome' },
      { name: 'pushed', role: 'GUEST' },
      { name: 'text' },
      'OK',
    ]);
    expect(host.kind('grpc').calls.of('chat')).toMatchObject({ count: 1, calls: [{ status: 'OK' }] });
  });

  it('have the trailers of the mock when they are closed normally, and not its error', async () => {
    const { add, users, host } = await startHost();
    const trailers = { 'x-end': 'of {{request.body.name}}' };
    add({ id: 'open', method: 'Watch', match: { name: 'open' }, keep_open: true, trailers });
    add({
      id: 'slow',
      method: 'Watch',
      stream: [{ response: {}, delay: '1h' }],
      error: { code: 'DATA_LOSS' },
      trailers,
    });
    for (const name of ['open', 'slow']) {
      const call = users.Watch({ name });
      const ended = new Promise<StatusObject>((resolve) => call.once('status', resolve));
      const all = readAll(call);
      await eventually(() => host.streams.list().length === 1);
      host.streams.close({ protocol: 'grpc', mock_id: name }, undefined);
      expect(await all).toEqual(['OK']);
      const { metadata } = await ended;
      expect(metadata.get('x-end')).toEqual([`of ${name}`]);
    }
  });

  it('refuse to push what does not fit, naming the field', async () => {
    const { add, users, host } = await startHost();
    add({ id: 'watch', method: 'Watch', keep_open: true });
    const all = readAll(users.Watch({}));
    await eventually(() => host.streams.list().length === 1);
    const push = (data: unknown) => () => host.streams.push({ protocol: 'grpc', mock_id: 'watch' }, data);
    expect(push({ address: { city: 5 } })).toThrow(
      'data does not fit acme.User: address.city: must be a string, got 5',
    );
    expect(push({ nobody: 1 })).toThrow('nobody: is no field of acme.User');
    expect(push('no json')).toThrow('must be a JSON object');
    host.streams.close({ protocol: 'grpc', mock_id: 'watch' }, 'boom');
    expect(await all).toEqual(['ABORTED: boom']);
  });
});

describe('errors', () => {
  it('carry a status with details, metadata and trailers', async () => {
    const { add, users } = await startHost();
    add({
      method: 'Get',
      error: {
        code: 'NOT_FOUND',
        message: 'no user {{request.body.id}} ä 100%',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'NO_USER',
            metadata: { id: '{{request.body.id}}' },
          },
          { '@type': 'acme.User', name: 'Ada' },
        ],
      },
      metadata: { 'X-Early': ['1', '2'], 'key-bin': 'AP8=' },
      trailers: { 'x-late': '{{request.body.id}}' },
    });
    const { code, message, metadata, trailers } = await get(users, { id: 5 });
    expect({ code, message }).toEqual({ code: 'NOT_FOUND', message: 'no user 5 ä 100%' });
    expect(metadata).toMatchObject({ 'x-early': '1, 2', 'key-bin': Buffer.from([0, 255]) });
    expect(trailers.get('x-late')).toEqual(['5']);
    const [details] = trailers.get('grpc-status-details-bin');
    const { root } = protobuf.parse(
      `syntax = "proto3"; message Any { string type_url = 1; bytes value = 2; }
       message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
       message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }`,
      { keepCase: true },
    );
    const status = root
      .lookupType('Status')
      .decode(details as Buffer)
      .toJSON();
    expect(status).toMatchObject({ code: 5, message: 'no user 5 ä 100%' });
    const [info, user] = status['details'] as { type_url: string; value: string }[];
    expect(
      root
        .lookupType('ErrorInfo')
        .decode(Buffer.from(info?.value ?? '', 'base64'))
        .toJSON(),
    ).toEqual({
      reason: 'NO_USER',
      metadata: { id: '5' },
    });
    expect(user?.type_url).toBe('type.googleapis.com/acme.User');
  });

  it('end calls of every kind at once, though the client goes on sending', async () => {
    const { add, users } = await startHost();
    add({ method: '*', response: { count: 1 }, error: { code: 'OUT_OF_RANGE', message: 'no more' } });
    const chat = users.Chat();
    chat.write({});
    expect(await readAll(chat)).toEqual(['OUT_OF_RANGE: no more']);
    const answer = await new Promise<unknown>((resolve) => {
      users.Add((error) => resolve(error?.details)).write({});
    });
    expect(answer).toBe('no more');
    expect(await readAll(users.Watch({}))).toEqual(['OUT_OF_RANGE: no more']);
  });

  it('come by number too', async () => {
    const { add, users } = await startHost();
    add({ method: 'Get', error: { code: 7 } });
    expect(await get(users)).toMatchObject({ code: 'PERMISSION_DENIED', message: '' });
  });

  it('are INTERNAL, naming mock and field, when a rendered response does not fit', async () => {
    const { add, users } = await startHost();
    add({
      id: 'broken',
      method: 'Get',
      response: { address: { city: 'x' }, scores: [1, '{{request.body.name}}'] },
    });
    expect(await get(users, { name: 'no number' })).toMatchObject({
      code: 'INTERNAL',
      message: 'mock "broken": response.scores[1]: must be an int32, got "no number"',
    });
    add({ id: 'header', priority: 1, method: 'Get', metadata: { x: '{{request.body.name}}' } });
    expect(await get(users, { name: 'ä' })).toMatchObject({ code: 'INTERNAL' });
  });
});

describe('faults', () => {
  it('have a code and a message', async () => {
    const { add, users, host } = await startHost();
    add({ method: 'Get', response: {} });
    host.faults.set('grpc', { code: 'RESOURCE_EXHAUSTED', message: 'quota' });
    expect(await get(users)).toMatchObject({ code: 'RESOURCE_EXHAUSTED', message: 'quota' });
    host.faults.set('grpc', { code: 14 });
    expect(await get(users)).toMatchObject({ code: 'UNAVAILABLE', message: 'fault injected' });
    expect(() => host.faults.set('grpc', { code: 'OOPS' })).toThrow('must be an error code of gRPC');
  });

  it('answer with HTTP in place of gRPC', async () => {
    const { add, users, host } = await startHost();
    add({ method: 'Get', response: {} });
    host.faults.set('grpc', { status: 429, body: 'slow down' });
    expect(await get(users)).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('429') });
    host.faults.set('grpc', { body: 'gone' });
    expect(await get(users)).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('503') });
    expect(host.journal.list().map((entry) => entry['status'])).toEqual([429, 503]);
    const chat = users.Chat();
    chat.write({});
    expect((await readAll(chat)).at(-1)).toMatch('503');
  });
});

describe('deadlines and cancellation', () => {
  it('end a delay at once', async () => {
    const { add, users, host } = await startHost();
    add({ id: 'slow', method: 'Get', response: {}, delay: '1h' });
    const { code } = await get(users, {}, { deadline: new Date(Date.now() + 150) });
    expect(code).toBe('DEADLINE_EXCEEDED');
    await eventually(() => host.journal.list()[0]?.['aborted'] === true);
  });

  it('end a stream at once', async () => {
    const { add, users, host } = await startHost();
    add({ method: 'Watch', stream: [{ response: {} }], keep_open: true });
    const call = users.Watch({});
    const all = readAll(call);
    await eventually(() => host.streams.list().length === 1);
    call.cancel();
    expect((await all).at(-1)).toMatch('CANCELLED');
    await eventually(() => host.streams.list().length === 0);
    const late = users.Watch({}, new Metadata(), { deadline: new Date(Date.now() + 100) });
    expect((await readAll(late)).at(-1)).toMatch('DEADLINE_EXCEEDED');
    await eventually(() => host.streams.list().length === 0);
  });

  it('may be a year away', async () => {
    const { add, users } = await startHost();
    add({ method: 'Get', response: { name: 'soon' } });
    const { code } = await get(users, {}, { deadline: new Date(Date.now() + 365 * 86_400_000) });
    expect(code).toBe('OK');
  });
});
