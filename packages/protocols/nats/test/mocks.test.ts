import { describe, expect, it } from '@jest/globals';
import { headers } from '@nats-io/transport-node';
import { eventually } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { connect3, converse, QUIET, RawClient, startHost } from './support.js';

/** Publishes with a reply subject, as a client that asks. */
function ask(subject: string, payload = 'x'): string {
  return `PUB ${subject} r ${payload.length}\r\n${payload}\r\n`;
}

describe('mocks', () => {
  it('answer requests by subject, with wildcards and named words', async () => {
    const { port, host } = await startHost({}, [
      { id: 'exact', subject: 'a.b', response: { payload: 'exact' } },
      { id: 'one', subject: 'a.*', response: { payload: 'one' } },
      {
        id: 'named',
        subject: 'users.{id}.orders.{order}',
        response: { payload: '{{request.params.id}}/{{request.params.order}}' },
      },
      { id: 'many', subject: 'a.>', response: { payload: 'many {{request.subject}}' } },
      { id: 'pattern', subject: 're:^p[0-9]+$', response: { payload: 'pattern' } },
      { id: 'object', subject: { prefix: 'q.' }, response: { payload: 'object' } },
    ]);
    const client = await connect3(port);
    const answers: string[] = [];
    for (const subject of ['a.b', 'a.c', 'a.c.d', 'users.7.orders.9', 'p42', 'q.anything']) {
      answers.push((await client.request(subject, '', { timeout: 60_000 })).string());
    }
    expect(answers).toEqual(['exact', 'one', 'many a.c.d', '7/9', 'pattern', 'object']);
    expect(host.journal.list().find((entry) => entry['matched_id'] === 'named')).toMatchObject({
      method: 'PUB',
      path: 'users.7.orders.9',
      path_params: { id: '7', order: '9' },
      response: { body: '7/9' },
    });
  });

  it('capture what expressions for subject, payload and headers name', async () => {
    const payload = '{{request.params.kind}} {{request.params.id}} {{request.params.unit}}';
    const { port } = await startHost({}, [
      { subject: 're:^(?<kind>[a-z]+)\\.get$', payload: { regex: '^(?<id>\\d+)$' }, response: { payload } },
      { subject: 'of.{unit}', payload: 're:^(?<id>\\d+)', response: { payload } },
      {
        subject: 'with.headers',
        headers: { 'X-Kind': 're:^k-(?<kind>\\w+)$' },
        payload: { any_of: ['re:^x(?<unit>.)', 're:^(?<id>\\d)'] },
        response: { payload },
      },
    ]);
    const client = await connect3(port);
    const answer = async (subject: string): Promise<string> =>
      (await client.request(subject, '7', { timeout: 60_000 })).string();
    expect([await answer('users.get'), await answer('of.mm')]).toEqual(['users 7 ', ' 7 mm']);
    const sent = headers();
    sent.append('X-Kind', 'k-z');
    const last = await client.request('with.headers', '7', { timeout: 60_000, headers: sent });
    expect(last.string()).toBe('z 7 ');
  });

  it('look into payloads that are JSON or XML, and compare them with headers', async () => {
    const { port, host } = await startHost({}, [
      {
        id: 'json',
        subject: 'x',
        payload: { json: { partial: { items: [{ id: 2 }] } } },
        response: { payload: 'json' },
      },
      {
        id: 'xml',
        subject: 'x',
        payload: { xpath: { path: '//n', is: { gte: 5 } } },
        response: { payload: 'xml' },
      },
      {
        id: 'same',
        subject: 'x',
        payload: { same_as: '{{request.headers.h}}' },
        response: { payload: 'same' },
      },
    ]);
    const client = await connect3(port);
    const h = headers();
    h.set('h', 'abc');
    const send = async (payload: string): Promise<string> =>
      (await client.request('x', payload, { timeout: 60_000, headers: h })).string();
    expect(await send('{"items":[{"id":1},{"id":2}]}')).toBe('json');
    expect(await send('<a><n>5</n></a>')).toBe('xml');
    expect(await send('abc')).toBe('same');
    expect(
      host.kind('nats').explain({ method: 'PUB', path: 'x', body: '{"items":[{"id":3}]}' }).others,
    ).toContainEqual({
      mock_id: 'json',
      reason: 'payload: at items[0].id got 3, want 2',
    });
  });

  it('use the received payload and headers', async () => {
    const { port } = await startHost({}, [
      {
        subject: 'order',
        payload: { contains: 'express' },
        headers: { 'x-tenant': 're:^[ab]$', 'X-None': { absent: true } },
        response: {
          payload:
            '{"id": "{{request.body.id}}", "tenant": "{{request.headers.x-tenant}}", "to": "{{request.reply}}"}',
          headers: {
            'X-Id': '{{request.body.id}}',
            'X-List': ['1', '2'],
            'X-Line': 'a\r\nb{{request.params.none}}',
          },
        },
      },
    ]);
    const client = await connect3(port, { inboxPrefix: '_INBOX.me' });
    const sent = headers();
    sent.set('X-Tenant', 'b');
    const answer = await client.request('order', '{"id": 5, "kind": "express"}', {
      headers: sent,
      timeout: 60_000,
    });
    expect(answer.json()).toMatchObject({ id: '5', tenant: 'b', to: expect.stringMatching(/^_INBOX\.me\./) });
    expect(answer.headers?.get('X-Id')).toBe('5');
    expect(answer.headers?.values('X-List')).toEqual(['1', '2']);
    expect(answer.headers?.get('X-Line')).toBe('a b');
    await expect(
      client.request('order', '{"id": 5, "kind": "express"}', { timeout: 60_000 }),
    ).rejects.toThrow();
    await expect(client.request('order', '{"id": 5}', { headers: sent, timeout: 60_000 })).rejects.toThrow();
  });

  it('give bytes back as they came', async () => {
    const { port } = await startHost({}, [
      { subject: 'echo', response: { payload: '{{request.raw_body}}' } },
    ]);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const answer = await (await connect3(port)).request('echo', bytes, { timeout: 60_000 });
    expect(Buffer.from(answer.data)).toEqual(Buffer.from(bytes));
  });

  it('take an empty subject and an empty queue group for none', async () => {
    const { port } = await startHost({}, [
      { subject: 'a', queue_group: '', response: { subject: '', payload: 'yes' } },
    ]);
    const client = await connect3(port);
    expect((await client.request('a', '', { timeout: 60_000 })).string()).toBe('yes');
  });

  it('publish to a subject of their own, for subscribers of any connection', async () => {
    const { port } = await startHost({}, [
      {
        subject: 'orders.{id}',
        response: {
          subject: 'done.{{request.params.id}}',
          payload: 'ok {{request.body}}',
          headers: { A: 'b' },
        },
      },
    ]);
    const watcher = await RawClient.connect(port);
    await watcher.ask(`${QUIET}SUB done.> 9\r\nSUB done.* q 10\r\nSUB orders.* 11\r\n`);
    expect(await converse(port, `${QUIET}SUB r 1\r\n${ask('orders.5', 'me')}`)).toBe('');
    await watcher.until(() => (watcher.text.match(/ok me/g) ?? []).length === 2);
    expect(watcher.text).toContain('MSG orders.5 11 r 2\r\nme\r\n');
    expect(watcher.text).toContain('HMSG done.5 9 18 23\r\nNATS/1.0\r\nA: b\r\n\r\nok me\r\n');
    expect(watcher.text).toContain('HMSG done.5 10 18 23\r\n');
  });

  it('never trigger each other', async () => {
    const { port, host } = await startHost({}, [
      { id: 'a', subject: 'a', response: { subject: 'b', payload: 'from a' } },
      { id: 'b', subject: 'b', response: { subject: 'a', payload: 'from b' } },
    ]);
    expect(await converse(port, `${QUIET}SUB a 1\r\nSUB b 2\r\nPUB a 1\r\nx\r\n`)).toBe(
      'MSG a 1 1\r\nx\r\nMSG b 2 6\r\nfrom a\r\n',
    );
    expect(host.journal.count().count).toBe(1);
  });

  it('count as responders even when they answer nothing, or nowhere', async () => {
    const { port, kind } = await startHost({}, [
      { id: 'sink', subject: 'sink' },
      { id: 'event', subject: 'event', response: { payload: 'to nobody' } },
    ]);
    expect(await converse(port, `${QUIET}SUB r 1\r\n${ask('sink')}PUB event 1\r\nx\r\n`)).toBe('');
    expect([kind.calls.of('sink').count, kind.calls.of('event').count]).toEqual([1, 1]);
  });

  it('answer beside real responders', async () => {
    const { port } = await startHost({}, [{ subject: 'both', response: { payload: 'mock' } }]);
    expect(await converse(port, `${QUIET}SUB both 1\r\nSUB r 2\r\n${ask('both')}`)).toBe(
      'MSG both 1 r 1\r\nx\r\nMSG r 2 4\r\nmock\r\n',
    );
  });

  it('share a queue group with real members: one of them gets each message', async () => {
    const { port, kind } = await startHost({}, [
      { id: 'mock', subject: 'jobs.*', queue_group: 'workers', response: { payload: 'mock' } },
    ]);
    const client = await RawClient.connect(port);
    const all = ask('jobs.1').repeat(400);
    const alone = await client.ask(`${QUIET}SUB r 1\r\n${ask('jobs.1')}`);
    expect(alone).toBe('MSG r 1 4\r\nmock\r\n');
    const shared = await client.ask(`SUB jobs.> workers 2\r\nSUB jobs.> others 3\r\n${all}`);
    const byMock = shared.split('MSG r 1 4').length - 1;
    const byMember = shared.split('MSG jobs.1 2 r 1').length - 1;
    expect(byMock + byMember).toBe(400);
    expect(byMock).toBeGreaterThan(100);
    expect(byMember).toBeGreaterThan(100);
    expect(shared.split('MSG jobs.1 3 r 1').length - 1).toBe(400);
    expect(kind.calls.of('mock').count).toBe(1 + byMock);
  });

  it('answer with a status in place of a header', async () => {
    const { port } = await startHost({}, [
      { subject: 'busy', response: { headers: { Status: '408', Description: 'Request\nTimeout', A: 'b' } } },
    ]);
    expect(await converse(port, `${QUIET}SUB r 1\r\n${ask('busy')}`)).toBe(
      'HMSG r 1 38 38\r\nNATS/1.0 408 Request Timeout\r\nA: b\r\n\r\n\r\n',
    );
  });

  it('delay the answer, not the message, and hold up nothing else', async () => {
    const { port, host, kind } = await startHost({}, [
      { id: 'answer', subject: 'answer', response: { payload: 'late', delay: '1h' } },
      {
        id: 'both',
        subject: 'both',
        delay: '1h',
        response: { payload: 'later {{request.body}}', delay: '1h' },
      },
      { subject: 'now', response: { payload: 'now' } },
    ]);
    host.clock.freeze(true);
    const client = await RawClient.connect(port);
    const first = await client.ask(`${QUIET}SUB > 1\r\n${ask('answer')}${ask('both')}${ask('now')}`);
    expect(first).toBe(
      'MSG answer 1 r 1\r\nx\r\nMSG both 1 r 1\r\nx\r\nMSG now 1 r 1\r\nx\r\nMSG r 1 3\r\nnow\r\n',
    );
    await host.clock.advance(3_600_000);
    await client.until(() => client.text.includes('late'));
    expect(await client.ask('')).not.toContain('later');
    await host.clock.advance(3_600_000);
    await client.until(() => client.text.includes('later x'));
    expect(kind.calls.of('both').calls).toMatchObject([{ response: { body: 'later x' } }]);
  });

  it('go on with a delayed event when its publisher has left, but not with a request', async () => {
    const { port, host, kind } = await startHost({}, [
      { id: 'event', subject: 'event', delay: '1h', response: { subject: 'done', payload: 'ok' } },
      { id: 'request', subject: 'request', response: { subject: 'done', payload: 'no', delay: '1h' } },
    ]);
    const watcher = await RawClient.connect(port);
    await watcher.ask(`${QUIET}SUB done 1\r\n`);
    const publisher = await RawClient.connect(port);
    await publisher.ask(`${QUIET}PUB event 1\r\nx\r\n${ask('request')}`);
    publisher.socket.end();
    await publisher.untilClosed();
    await eventually(() => kind.calls.of('request').calls[0]?.['aborted'] === true);
    await host.clock.advance(3_600_000);
    await watcher.until(() => watcher.text.includes('MSG done'));
    await watcher.until(() => watcher.text.endsWith('ok\r\n'));
    expect(watcher.text).toBe('PONG\r\nMSG done 1 2\r\nok\r\n');
  });

  it('do not answer to a subject that came out wrong, and say so', async () => {
    const { port, log, kind } = await startHost({}, [
      { id: 'wrong', subject: 'a', response: { subject: 'b.{{request.body}}', payload: 'x' } },
    ]);
    expect(await converse(port, `${QUIET}SUB > 1\r\nPUB a 1\r\n*\r\nPUB a 0\r\n\r\n`)).toBe(
      'MSG a 1 1\r\n*\r\nMSG a 1 0\r\n\r\n',
    );
    expect(log).toHaveLength(2);
    expect(log[0]).toBe('warn: mock "wrong" cannot answer to "b.*": wildcards cannot be published to');
    expect(kind.calls.of('wrong').count).toBe(2);
  });

  it('do not see messages with an empty word, which reach nobody', async () => {
    const { port, kind } = await startHost({}, [
      { id: 'all', subject: '>' },
      { id: 'pattern', subject: 're:.' },
    ]);
    expect(await converse(port, `${QUIET}SUB r 1\r\n${ask('a..b')}`)).toBe(
      'HMSG r 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n',
    );
    expect(kind.calls.of('all').count + kind.calls.of('pattern').count).toBe(0);
  });
});

describe('explain', () => {
  it('says why mocks do not fit', async () => {
    const { kind } = await startHost({}, [
      { id: 'subject', subject: 'b.*' },
      { id: 'payload', subject: 'a', payload: 'no' },
      { id: 'header', subject: 'a', headers: { 'X-A': '1' } },
      { id: 'group', subject: 'a', queue_group: 'g' },
      { id: 'other', subject: 're:^b' },
    ]);
    const entry: Json = { path: 'a', body: 'eA==', body_encoding: 'base64', headers: { 'x-a': ['2', '3'] } };
    const { outcome, mock_id: id, others } = kind.explain(entry);
    expect([outcome, id]).toEqual(['matched', 'group']);
    expect(new Map(others.map(({ mock_id: mockId, reason }) => [mockId, reason]))).toEqual(
      new Map([
        ['subject', 'subject: got "a", want "b.*"'],
        ['payload', 'payload: got "x", want "no"'],
        ['header', 'header X-A: got "2, 3", want "1"'],
        ['other', 'subject: got "a", want a match of "re:^b"'],
      ]),
    );
  });
});

describe('captures', () => {
  it('hold what clients published, field by field', async () => {
    const { port, captured } = await startHost({}, [
      { subject: 'a', response: { subject: 'b', payload: 'an answer is not captured' } },
    ]);
    const client = await connect3(port);
    const sent = headers();
    sent.append('X-One', '1');
    sent.append('X-Two', '1');
    sent.append('X-Two', '2');
    client.publish('a', 'grüße', { headers: sent, reply: 'r' });
    client.publish('b', Uint8Array.of(0xff, 0));
    client.publish('c', '');
    await client.flush();
    const id = expect.any(String);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(JSON.parse(JSON.stringify(captured()))).toEqual([
      {
        id,
        subject: 'a',
        reply: 'r',
        payload: 'grüße',
        headers: { 'X-One': '1', 'X-Two': ['1', '2'] },
        timestamp,
      },
      { id, subject: 'b', payload: '/wA=', payload_encoding: 'base64', timestamp },
      { id, subject: 'c', payload: '', timestamp },
    ]);
  });

  it('take header names as plain data', async () => {
    const { port, captured } = await startHost({}, [
      {
        subject: 'a',
        headers: { constructor: { absent: true } },
        response: { payload: '{{request.headers.__proto__}}' },
      },
    ]);
    const block = 'NATS/1.0\r\n__proto__: x\r\nno header\r\n: none\r\n\r\n';
    expect(
      await converse(port, `${QUIET}SUB r 1\r\nHPUB a r ${block.length} ${block.length}\r\n${block}\r\n`),
    ).toBe('MSG r 1 1\r\nx\r\n');
    expect(JSON.stringify(captured())).toContain('"headers":{"__proto__":"x"}');
  });
});

describe('faults', () => {
  it('lose messages at their rate, and let them pass with drop: false', async () => {
    const { port, host } = await startHost({}, [{ subject: 'a', response: { payload: 'mock' } }]);
    const client = await RawClient.connect(port);
    await client.ask(`${QUIET}SUB > 1\r\n`);
    host.faults.set('nats', {});
    expect(await client.ask(ask('a') + ask('b'))).toBe('');
    host.faults.set('nats', { drop: false });
    expect(await client.ask(`${ask('a')}PUB b 0\r\n\r\n`)).toBe(
      'MSG a 1 r 1\r\nx\r\nMSG r 1 4\r\nmock\r\nMSG b 1 0\r\n\r\n',
    );
    host.faults.set('nats', { error_rate: 0.5 });
    const some = (await client.ask('PUB b 0\r\n\r\n'.repeat(400))).split('MSG b').length - 1;
    expect(some).toBeGreaterThan(120);
    expect(some).toBeLessThan(280);
    expect(host.journal.list({ limit: 1 })).toMatchObject([{ method: 'PUB', path: 'b' }]);
  });

  it('delay messages, but hold up neither other clients nor the same one', async () => {
    const { port, host } = await startHost({}, [{ subject: 'mocked', response: { payload: 'mock' } }]);
    host.clock.freeze(true);
    const client = await RawClient.connect(port);
    await client.ask(`${QUIET}SUB > 1\r\n`);
    host.faults.set('nats', { delay: '1h' });
    expect(await client.ask(`PUB a 1\r\n1\r\nPUB a 1\r\n2\r\n${ask('mocked')}`)).toBe(
      'MSG mocked 1 r 1\r\nx\r\n',
    );
    host.faults.set('nats', { delay: '1h', drop: true });
    expect(await client.ask(`PUB lost 1\r\n3\r\n${ask('mocked')}`)).toBe('');
    host.faults.clear('nats');
    expect(await client.ask('PUB b 1\r\n4\r\n')).toBe('MSG b 1 1\r\n4\r\n');
    await host.clock.advance(3_600_000);
    await client.until(() => client.text.includes('mock\r\n'));
    expect(client.text).toBe(
      'MSG b 1 1\r\n4\r\nPONG\r\nMSG a 1 1\r\n1\r\nMSG a 1 1\r\n2\r\nMSG r 1 4\r\nmock\r\n',
    );
  });

  it('bound what one client can let wait', async () => {
    const { port, host } = await startHost();
    host.clock.freeze(true);
    const watcher = await RawClient.connect(port);
    await watcher.ask(`${QUIET}SUB > 1\r\n`);
    const client = await RawClient.connect(port);
    await client.ask(QUIET);
    host.faults.set('nats', { delay: '1h' });
    client.send('PUB a 1\r\nx\r\n'.repeat(15_000));
    client.send('PING\r\n');
    await eventually(() => (host.kind('nats').captures?.values().length ?? 0) >= 10_000);
    expect(await watcher.ask('')).toBe('');
    expect(client.text).not.toContain('PONG\r\nPONG');
    host.faults.clear('nats');
    await host.clock.advance(3_600_000);
    await watcher.until(() => watcher.text.split('MSG a').length - 1 === 15_000);
    await client.until(() => client.text.endsWith('PONG\r\n'));
  });
});
