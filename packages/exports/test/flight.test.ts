import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { collectCleanups } from '@backlot/conformance';
import { createHost, isBacklotError, type Host, type Imported, type Json } from '@backlot/core';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationParts,
  readFlight,
  restoreFlight,
  saveFlight,
  type FlightHeader,
  type FlightLine,
} from '../src/index.js';
import { running } from './support/running.js';

const afterThis = collectCleanups();

const SHOP: Imported = {
  protocols: {
    http: {
      mocks: [
        {
          id: 'seq',
          request: { path: '/seq' },
          sequence: [{ body: 'one' }, { body: 'two' }, { body: 'three' }],
        },
        { id: 'user', request: { path: '/users/{id}' }, response: { json: { token: 'abc', name: 'Ann' } } },
      ],
    },
  },
  state: { cart: 'full', ['__proto__']: 'kept' },
};

function fileOf(bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'flight-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'a.flight.gz');
  writeFileSync(file, bytes);
  return file;
}

async function saved(host: Host, withSecrets = false): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of saveFlight(host, { reason: 'a test', withSecrets })) parts.push(piece);
  return Buffer.concat(parts);
}

interface Whole {
  readonly header: FlightHeader | undefined;
  readonly lines: readonly FlightLine[];
}

async function read(file: string): Promise<Whole> {
  const lines: FlightLine[] = [];
  let header: FlightHeader | undefined;
  for await (const one of readFlight(file)) {
    if ('header' in one) ({ header } = one);
    else lines.push(one.line);
  }
  return { header, lines };
}

/** Bytes of a recording whose lines are these. */
function packed(...lines: readonly unknown[]): Buffer {
  return gzipSync(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

const HEADER: FlightHeader = {
  format: 'backlot-flight',
  version: 1,
  backlot: '1.2.3',
  reason: 'a test',
  seed: 7,
  clock: { now: '2030-01-01T00:00:00.000Z', frozen: false },
  has_secrets: false,
  kinds: [],
};

/** A host that was started anew with what a recording has. */
async function opened(file: string): Promise<{ readonly host: Host; readonly left: readonly string[] }> {
  const { header = HEADER, lines } = await read(file);
  const parts = new ConfigurationParts();
  for (const line of lines) parts.add(line);
  const { protocols = {}, state } = parts.value as {
    protocols?: Json;
    state?: Readonly<Record<string, string>>;
  };
  const host = await createHost({
    protocols: [http, redis, smtp],
    settings: Object.fromEntries(
      ['http', 'redis', 'smtp'].map((kind) => [kind, protocols[kind] ?? { enabled: false }]),
    ) as never,
    seed: header.seed,
    ...(state === undefined ? {} : { state }),
  });
  afterThis(() => host.stop(0));
  await host.start();
  const each = async function* (): AsyncGenerator<FlightLine> {
    for await (const one of readFlight(file)) if ('line' in one) yield one.line;
  };
  return { host, left: await restoreFlight(host, header, each()) };
}

describe('a recording', () => {
  it('has the log, the counts, the data and the time, and gives them back', async () => {
    const host = await running([http, redis, smtp], SHOP, afterThis);
    const { url = '' } = host.kind('http');
    await host.clock.setNow(Date.parse('2031-02-03T04:05:06Z'));
    for (const path of ['/seq', '/seq', '/users/7?x=1', '/none']) await (await fetch(url + path)).text();
    await host.kind('redis').data.put('keys', { key: 'k', database: 3, type: 'hash', value: { a: '1' } });
    host.faults.set('http', { error_rate: 0.5, status: 503 });
    host.kind('smtp').captures?.recall({ id: 'm1', from: 'a', to: ['b'], subject: 's', body: 'x' }, 100);
    const { host: again, left } = await opened(fileOf(await saved(host, true)));
    expect(left).toEqual([]);
    expect(again.journal.list()).toEqual(host.journal.list());
    expect(again.journal.list().map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(again.journal.newest).toBe('4');
    expect(again.journal.count({ matchedId: 'seq' })).toEqual({ count: 2, complete: true });
    expect(again.journal.list({ unmatched: true }).map(({ path }) => path)).toEqual(['/none']);
    expect(again.kind('http').calls.of('seq')).toMatchObject({ count: 2, calls: [{ id: '1' }, { id: '2' }] });
    expect(again.state.all()).toEqual(host.state.all());
    expect(Object.keys(again.state.all())).toContain('__proto__');
    expect(again.faults.all()).toEqual(host.faults.all());
    expect(again.seed).toBe(host.seed);
    expect(again.clock.view()).toMatchObject({ frozen: true });
    expect(again.clock.view().now.slice(0, 17)).toBe('2031-02-03T04:05:');
    expect(again.kind('redis').data.get('keys', '3:k')).toMatchObject({ type: 'hash', value: { a: '1' } });
    expect(again.kind('smtp').captures?.values()).toEqual(host.kind('smtp').captures?.values());
    // It goes on where it was: with the next answer, and behind the last id.
    again.faults.clearAll();
    expect(await (await fetch(`${again.kind('http').url}/seq`)).text()).toBe('three');
    expect(again.journal.list().at(-1)).toMatchObject({ id: '5', matched_id: 'seq' });
  });

  it('has the incidents that ran, which go on for the rest of their time', async () => {
    const host = await running([http, redis, smtp], SHOP, afterThis);
    host.clock.freeze(true);
    await host.incidents.start('redis-loading', { for: '20s' });
    await host.incidents.start('http-goaway', { for: '60s' });
    await host.clock.advance(5000);
    const { host: again, left } = await opened(fileOf(await saved(host)));
    const ends = (of: Host): unknown[] =>
      of.incidents
        .list()
        .flatMap(({ name, running: run }) => (run ? [[name, run.fields, run.ends_at, run.stages]] : []));
    expect(ends(host)).toMatchObject([
      ['http-goaway', {}, expect.anything(), expect.anything()],
      ['redis-loading', {}, expect.anything(), { redis: 2 }],
    ]);
    expect(ends(again)).toEqual(ends(host));
    expect(left).toEqual([]);
    await again.clock.advance(15_000);
    expect(ends(again)).toHaveLength(1);
    const bare = [
      { incident: 'redis-loading', value: { for: '1s' }, elapsed: 0 },
      { incident: 'gopher-flood', value: { for: '1s' }, elapsed: 0 },
    ];
    const { left: without } = await opened(fileOf(packed(HEADER, ...bare, { end: 3 })));
    expect(without).toEqual([
      'the incident redis-loading: redis protocol not enabled',
      expect.stringContaining('the incident gopher-flood: no incident "gopher-flood"'),
    ]);
  });

  it('has no secrets, unless they are asked for', async () => {
    const host = await running([http], SHOP, afterThis);
    const { url = '' } = host.kind('http');
    await fetch(`${url}/users/1?access_token=geheim1`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer geheim2geheim2',
        cookie: 'session=geheim3',
        'x-api-key': 'geheim4',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'user=ann&password=geheim5',
    });
    await fetch(`${url}/users/2`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"client_secret":"geheim6","note":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJnZWhlaW0ifQ.geheim7geheim7"}',
    });
    const bare = gunzipSync(await saved(host)).toString();
    expect(bare).not.toContain('geheim');
    expect(bare).toContain('user=ann&password=REDACTED');
    expect(bare).toContain('"has_secrets":false');
    const whole = gunzipSync(await saved(host, true)).toString();
    for (let number = 1; number <= 7; number += 1) expect(whole).toContain(`geheim${number}`);
    expect(whole).toContain('"has_secrets":true');
  });

  it('shows messages of kinds that are not installed, spans, bytes and gaps in the ids', async () => {
    const entry = (id: string, fields: object): object => ({
      entry: {
        ...{ id, timestamp: '2030-01-01T00:00:00.000Z', protocol: 'gopher', method: 'GET', path: '/x' },
        ...{ duration_ms: 1, remote: '127.0.0.1:1', ...fields },
      },
    });
    const lines = [
      HEADER,
      { fault: 'gopher', value: {} },
      entry('5', { body: 'AAH/', body_encoding: 'base64', response: { status: 'ok' }, status: 'ok' }),
      entry('99000', { missed: true, near_misses: [{ mock_id: 'm', reason: 'path' }] }),
      entry('900000000000', { aborted: true, fault: true, delays: { mock_ms: 5 } }),
    ];
    const { host, left } = await opened(fileOf(packed(...lines, { end: 5 })));
    expect(left).toEqual(['gopher does not run here: of it there is only the log']);
    const list = host.journal.list();
    // Ids so far apart push each other out, as if there had been messages between them.
    expect(list.map(({ id }) => id)).toEqual(['900000000000']);
    expect(list[0]).toEqual((lines[4] as { entry: object }).entry);
    const more = [entry('7', { missed: true }), entry('8', { unmatched: true })];
    const few = await opened(fileOf(packed(...lines.slice(0, 3), ...more, { end: 5 })));
    expect(few.host.journal.list()[0]).toEqual((lines[2] as { entry: object }).entry);
    expect(few.host.journal.list({ unmatched: true }).map(({ id }) => id)).toEqual(['7', '8']);
  });

  it.each([
    ['an empty file', Buffer.alloc(0), 'it is empty'],
    ['a text', Buffer.from('protocols: {}\n'), 'it is no recording of Backlot'],
    ['gzip of something else', gzipSync('{"hello": 1}\n'), 'it is no recording of Backlot'],
    [
      'a later version',
      packed({ ...HEADER, version: 2 }, { end: 1 }),
      'it has version 2 of the format, and this Backlot reads versions up to 1; open it with a newer one',
    ],
    ['one without its end', packed(HEADER), 'its end is missing'],
    ['one that lacks lines', packed(HEADER, { end: 3 }), '3 lines were written, and 1 are there'],
    [
      'one that goes on',
      packed(HEADER, { end: 1 }, { fault: 'http', value: {} }),
      'it goes on behind its end',
    ],
    [
      'a line of another sort',
      packed(HEADER, { other: 1 }, { end: 2 }),
      'line 2: "other" is nothing that a recording has',
    ],
    ['an entry without a method', packed(HEADER, { entry: { id: '1' } }, { end: 2 }), 'line 2: /entry/'],
    [
      'bytes behind the end',
      Buffer.concat([packed(HEADER, { end: 1 }), Buffer.from('more')]),
      'it is damaged',
    ],
    [
      'a line without an end',
      gzipSync(Buffer.alloc(5_000_000, 'x')),
      'it has a line of more than 4194304 characters',
    ],
  ])('says what is wrong with %s', async (_what, bytes, message) => {
    await expect(read(fileOf(bytes))).rejects.toThrow(message);
  });

  it('leaves out a captured message that is too long without making it', async () => {
    const host = await running([smtp], { protocols: { smtp: {} } }, afterThis);
    host.kind('smtp').captures?.recall(
      {
        captureId: 'long',
        capture: () => {
          throw new Error('the whole message was made');
        },
        capturePieces: () => ({ shown: {}, texts: { body: { length: 5_000_000, pieces: () => [] } } }),
      },
      1,
    );
    const chunks: Uint8Array[] = [];
    for await (const chunk of saveFlight(host, { reason: 'test' })) chunks.push(chunk);
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toContain(
      '{"left_out":"1 captured of more than 4194304 characters"}',
    );
  });

  it('is the same or a clear error, whatever was done to its bytes', async () => {
    const host = await running([http], SHOP, afterThis);
    const { url = '' } = host.kind('http');
    for (let number = 0; number < 20; number += 1) await (await fetch(`${url}/users/${number}`)).text();
    const bytes = await saved(host);
    const folder = mkdtempSync(join(tmpdir(), 'flights-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'a');
    writeFileSync(file, bytes);
    const whole = JSON.stringify(await read(file));
    const text = gunzipSync(bytes);
    let state = 1;
    const next = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    let refused = 0;
    for (let number = 0; number < 1000; number += 1) {
      // Every other one is packed again, so that no checksum tells.
      const mutated = Buffer.from(number % 2 === 0 ? bytes : text);
      const at = next(mutated.length);
      const cut = number % 5 === 0 ? mutated.subarray(0, at) : mutated;
      if (cut === mutated) mutated[at] = next(256);
      writeFileSync(file, number % 2 === 0 ? cut : gzipSync(cut, { level: 1 }));
      try {
        const again = JSON.stringify(await read(file));
        // Where a checksum told, nothing but what stands before the data can be otherwise.
        if (number % 2 === 0) expect(again).toBe(whole);
      } catch (thrown) {
        if (!isBacklotError(thrown) || thrown.code !== 'invalid') throw thrown;
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });

  it('is left as it is', async () => {
    const host = await running([http], SHOP, afterThis);
    const file = fileOf(await saved(host));
    const before = readFileSync(file);
    await opened(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
