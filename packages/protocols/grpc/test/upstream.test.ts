import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { processCertificate } from '@backlot/kit';
import { folderWith, get, readAll, startHost, type More, type Running } from './support/grpc-host.js';
import { startRealGrpc, type RealGrpc } from './support/real-grpc.js';

const recorder = (
  { port }: Pick<RealGrpc, 'port'>,
  mode: string,
  mocks: readonly Json[] = [],
  more: More & { readonly upstream?: Json } = {},
): Promise<Running> => {
  const upstream = { url: `grpc://127.0.0.1:${port}`, mode, ...more.upstream };
  return startHost({ upstream, mocks }, more);
};

const recordedBy = ({ kind }: Running): Json[] => kind.mocks.list().map((mock) => structuredClone(mock));

const replay = (recording: Running, settings: Json = {}, more: More = {}): Promise<Running> =>
  startHost({ ...settings, mocks: recordedBy(recording), upstream: { mode: 'replay' } }, more);

const stored = (running: Running): string =>
  JSON.stringify([running.host.journal.list(), running.kind.mocks.list()]);

/** What an unmodified client does with calls of one request; gives what it sees. */
async function work({ users }: Running): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const id of [7, 404, 1, 1, 1]) {
    const { trailers, metadata, ...answer } = await get(
      users,
      { id },
      {},
      { authorization: 'Bearer hunter2hunter2' },
    );
    seen.push({ ...answer, served: metadata['x-served-by'], late: trailers.getMap()['x-late'] });
  }
  seen.push(await readAll(users.Watch({ id: 2, name: 'two' })));
  seen.push(await readAll(users.Watch({ id: 3, name: 'three' })));
  seen.push(await readAll(users.Watch({ id: 0 })));
  return seen;
}

/** Sends messages and reads what comes back. */
async function chat({ users }: Running): Promise<unknown[]> {
  const stream = users.Chat();
  const read: unknown[] = [];
  for (const name of ['a', 'b']) {
    stream.write({ name });
    const [answer] = (await new Promise((resolve) => stream.once('data', (value) => resolve([value])))) as [
      { name: string },
    ];
    read.push(answer.name);
  }
  const ended = new Promise((resolve) => stream.once('status', resolve));
  stream.end();
  await ended;
  return read;
}

describe('an upstream of gRPC', () => {
  it('is recorded and replayed without it, with metadata, statuses and streams', async () => {
    const real = await startRealGrpc();
    const recording = await recorder(real, 'record_new');
    const seen = await work(recording);
    expect(seen).toMatchObject([
      { code: 'OK', value: { id: '7', name: '{{user 7}}' }, served: 'real', late: 'yes' },
      { code: 'NOT_FOUND', message: 'no {{user}}', late: 'yes' },
      { value: { name: 'visit 1' } },
      { value: { name: 'visit 2' } },
      { value: { name: 'visit 3' } },
      [{ id: '1', name: 'two' }, { id: '2', name: 'two' }, 'OK'],
      [{ id: '1' }, { id: '2' }, { id: '3' }, 'DATA_LOSS: lost'],
      ['OK'],
    ]);
    expect(real.metadata[0]?.get('authorization')).toEqual(['Bearer hunter2hunter2']);
    expect(recording.log).toEqual([]);
    expect(stored(recording)).not.toMatch(/hunter2|top-secret/);
    expect(recordedBy(recording)[1]).toEqual({
      id: 'recorded:acme.users-get-2',
      method: 'acme.Users/Get',
      match: { $: { json: { equals: { id: '404', name: '' } } } },
      error: { code: 'NOT_FOUND', message: 'no {{raw "{{"}}user}}' },
      trailers: { 'x-late': 'yes' },
    });
    await real.stop();
    const replayed = await replay(recording);
    const redacted = JSON.parse(JSON.stringify(seen).replaceAll('top-secret', 'REDACTED')) as unknown;
    expect(JSON.parse(JSON.stringify(await work(replayed)))).toEqual(redacted);
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
    await get(replayed.users, { id: 8 });
    expect(replayed.host.journal.list({ unmatched: true })).toHaveLength(1);
  });

  it('has recordings that are for just their request, whatever its length', async () => {
    const real = await startRealGrpc();
    const recording = await recorder(real, 'record_new');
    const long = (letter: string): Json => ({ id: 2, name: letter.repeat(70_000) });
    const first = await readAll(recording.users.Watch(long('a')));
    expect(first[0]).toMatchObject({ name: 'a'.repeat(70_000) });
    expect(recording.log.join('\n')).toContain('its request is longer than 64 KiB');
    expect(await readAll(recording.users.Watch({ id: 2, name: 'short' }))).toMatchObject([
      { name: 'short' },
      { name: 'short' },
      'OK',
    ]);
    expect(recordedBy(recording)).toMatchObject([
      { method: 'acme.Users/Watch', match: { $: { json: { equals: { id: '2', name: 'short' } } } } },
    ]);
    await real.stop();
    const replayed = await replay(recording);
    expect(await readAll(replayed.users.Watch({ id: 2, name: 'short' }))).toMatchObject([{}, {}, 'OK']);
    for (const other of [long('b'), { id: 2, name: 'other' }, { id: 3, name: 'short' }])
      expect(await readAll(replayed.users.Watch(other))).toEqual([expect.stringContaining('UNIMPLEMENTED')]);
    expect(replayed.host.journal.list({ unmatched: true })).toHaveLength(3);
  });

  it('passes streams of the client decoded, and records none of them', async () => {
    const real = await startRealGrpc();
    const recording = await recorder(real, 'record_all');
    expect(await chat(recording)).toEqual(['re: a', 're: b']);
    const summary = await new Promise((resolve) => {
      const stream = recording.users.Add((_error, answer) => resolve(answer));
      for (const name of ['x', 'y']) stream.write({ name });
      stream.end();
    });
    expect(summary).toEqual({ count: 2, names: ['x', 'y'] });
    expect(recordedBy(recording)).toEqual([]);
    expect(recording.host.journal.list()).toMatchObject([
      { path: '/acme.Users/Chat', upstream: { answered: true }, response: { status: 'OK' } },
      {
        path: '/acme.Users/Add',
        upstream: { answered: true },
        response: { body: '{"count":2,"names":["x","y"]}' },
      },
    ]);
    const open = recording.users.Watch({ id: -1 });
    open.on('error', () => undefined);
    await new Promise((resolve) => open.once('data', resolve));
    open.cancel();
    await eventually(() => real.cancelled.includes('Watch'));
    expect((await get(recording.users, { id: 503 }, { deadline: Date.now() + 300 })).code).toBe(
      'DEADLINE_EXCEEDED',
    );
    await eventually(() => real.cancelled.includes('Get'));
  });

  it('learns the schema by server reflection, which recordings bring with them', async () => {
    const real = await startRealGrpc();
    const recording = await recorder(real, 'record_new', [], { schema: false });
    const seen = await work(recording);
    expect(recording.log).toEqual([]);
    expect(recording.host.journal.list()[0]).toMatchObject({
      body: '{"id":"7","name":""}',
      response: { body: expect.stringContaining('"name":"{{user 7}}"') },
    });
    const settings = recording.kind.service?.recordedSettings?.() ?? {};
    await real.stop();
    const replayed = await replay(recording, settings, { schema: false });
    expect((await work(replayed)).slice(2, 5)).toMatchObject(seen.slice(2, 5).map(() => ({ code: 'OK' })));
    expect((await work(replayed))[5]).toEqual(seen[5]);
  });

  it('passes what no schema has as bytes', async () => {
    const far = await startHost({ mocks: [{ method: 'Get', response: { id: 7, name: 'far' } }] });
    const plain = await startHost({
      upstream: { url: `tcp://127.0.0.1:${far.port}`, mode: 'passthrough' },
    });
    expect(await get(plain.users, { id: 7 })).toMatchObject({ value: { name: 'far' } });
    const real = await startRealGrpc();
    // A file that is there already under another package has no reflection for this one.
    const recording = await recorder(real, 'record_new', [], { schema: false });
    const client = recording.users;
    const answer = await new Promise((resolve) =>
      client.makeUnaryRequest(
        '/nobody.Service/Call',
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        Buffer.from([0xff, 0xfe]),
        (error) => resolve(error?.code),
      ),
    );
    expect(answer).toBe(12);
    expect(recording.log[0]).toContain('the upstream gives no schema of nobody.Service');
    expect(recordedBy(recording)).toEqual([]);
  });

  it('is reached by TLS, and by clients in the clear', async () => {
    const { key, cert } = await processCertificate();
    const real = await startRealGrpc({ key, cert });
    const ca = join(folderWith({}), 'ca.pem');
    writeFileSync(ca, cert);
    const upstream = { url: `grpcs://localhost:${real.port}`, ca };
    const passing = await recorder(real, 'spy', [], { upstream });
    expect(await get(passing.users, { id: 7 })).toMatchObject({ value: { name: '{{user 7}}' } });
    const untrusting = await recorder(real, 'spy', [], { upstream: { url: upstream.url } });
    expect(await get(untrusting.users, { id: 7 })).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('the upstream gave no answer'),
    });
  });

  it('is asked for what no mock answers, and compared with mocks', async () => {
    const real = await startRealGrpc();
    const mocks = [
      {
        method: 'acme.Users/Get',
        match: { id: '7' },
        response: { id: '7', name: 'Zoe', labels: { api_token: 'x' } },
      },
      {
        method: 'acme.Users/Get',
        match: { id: '404' },
        error: { code: 'NOT_FOUND', message: 'no {{raw "{{"}}user}}' },
      },
      { method: 'acme.Users/Watch', match: { id: '2' }, stream: [{ response: { id: '1', name: 'two' } }] },
      { method: 'acme.Users/Chat', on_message: [{ respond: { name: 'mock' } }] },
    ];
    const spy = await recorder(real, 'spy', mocks);
    expect(await get(spy.users, { id: 7 })).toMatchObject({ value: { name: 'Zoe' } });
    expect(await get(spy.users, { id: 8 })).toMatchObject({ value: { name: '{{user 8}}' } });
    expect(await chat(spy)).toEqual(['mock', 'mock']);
    const diff = await recorder(real, 'diff', mocks);
    expect(await get(diff.users, { id: 7 })).toMatchObject({ value: { name: 'Zoe' } });
    expect(await get(diff.users, { id: 404 })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await readAll(diff.users.Watch({ id: 2, name: 'two' }))).toHaveLength(2);
    expect(await get(diff.users, { id: 8 })).toMatchObject({ value: { name: '{{user 8}}' } });
    expect(await chat(diff)).toEqual(['mock', 'mock']);
    expect(diff.host.journal.list().map(({ upstream }) => upstream)).toEqual([
      { differences: ['answer /messages/0/name: the mock has "Zoe", the upstream "{{user 7}}"'] },
      { differences: [] },
      {
        differences: [
          'answer /messages/1: the mock has nothing, the upstream {"id":"2","name":"two","role":"ROLE_UNKNOWN","labels":{},"photo":"","scores":[]}',
        ],
      },
      { answered: true },
      {},
    ]);
    await real.stop();
    expect(await get(spy.users, { id: 8 })).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('the upstream gave no answer: connect ECONNREFUSED'),
    });
  });
});
