import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { createHost } from '@backlot/core';
import { websocket } from '../src/index.js';
import { Client, startHost } from './support.js';

/** Documents of the AsyncAPI Initiative, as they stand in its repository. */
const sample = (name: string): string =>
  fileURLToPath(new URL(`../../../imports/test/samples/asyncapi/${name}`, import.meta.url));

const PING = '{"event": "ping", "reqid": 42}';
const PONG = '{"event": "pong", "reqid": 42}';

it('holds what clients send and what they are sent to a document of version 3', async () => {
  const file = sample('kraken-websocket.yaml');
  const { url, kind, host } = await startHost(
    [{ id: 'kraken', path: '/', on_message: [{ match: '*', respond: PONG }] }],
    { contract: { file } },
  );
  const client = await Client.connect(`${url}/`);
  expect(await client.ask(PING)).toBe(PONG);
  // What only the application sends.
  expect(await client.ask(PONG)).toMatch(/^close 1007 \/payload/);
  const other = await Client.connect(`${url}/`);
  expect(await other.ask('ping')).toBe('close 1007 /payload must be JSON');
  await expect(Client.connect(`${url}/elsewhere`)).rejects.toThrow('Unexpected server response: 404');
  expect(host.journal.list().flatMap(({ contract }) => contract?.violations ?? [])).toContainEqual({
    in: 'request',
    path: '/path',
    message: 'must be a channel of the contract',
    value: '/elsewhere',
  });
  expect(kind.contract?.coverage()).toMatchObject({
    operations: { total: 1, touched: 1 },
    violations: { requests: 3, answers: 0 },
    unknown: 1,
  });
  expect(kind.contract?.coverage().list[0]?.answers).toMatchObject({ ping: 1, pong: 1 });
});

const UPDATE = {
  type: 'update',
  eventId: 36902233362,
  timestamp: 1619769673,
  timestampms: 1619769673527,
  socket_sequence: 661,
  events: [{ type: 'change', side: 'bid', price: 54350, remaining: 0.002, delta: 0.002, reason: 'place' }],
};

it('holds mocks to a document of version 2', async () => {
  const file = sample('v2/websocket-gemini.yaml');
  const greeting = (update: object) => ({
    id: 'market',
    path: '/v1/marketdata/{symbol}',
    on_connect: { json: update },
  });
  const made = (update: object): Promise<unknown> =>
    createHost({
      protocols: [websocket],
      settings: { websocket: { contract: { file }, mocks: [greeting(update)] } },
    });
  await expect(made({ ...UPDATE, type: 'upgrade' })).rejects.toThrow(
    /\/on_connect: mock "market" answers what the contract does not allow: \/payload\/type must be/,
  );
  const { url, kind } = await startHost([greeting({ ...UPDATE, type: '{{request.query.type}}' })], {
    contract: { file },
  });
  const good = await Client.connect(`${url}/v1/marketdata/btcusd?type=update`);
  expect(JSON.parse(String(await good.next()))).toEqual(UPDATE);
  const bad = await Client.connect(`${url}/v1/marketdata/btcusd?type=upgrade`);
  expect(await bad.next()).toMatch(/^close 1011 mock "market": the contract does not allow it: \/payload/);
  expect(kind.contract?.coverage()).toMatchObject({
    operations: { total: 1, touched: 1 },
    violations: { requests: 0, answers: 1 },
  });
});

it('notes with mode warn, and goes on', async () => {
  const file = sample('kraken-websocket.yaml');
  const { url, kind } = await startHost(
    [{ id: 'any', path: '*', on_message: [{ match: '*', respond: 'anything' }] }],
    { contract: { file, mode: 'warn' } },
  );
  const client = await Client.connect(`${url}/elsewhere`);
  expect(await client.ask('ping')).toBe('anything');
  expect(kind.contract?.coverage()).toMatchObject({ violations: { requests: 2, answers: 1 }, unknown: 2 });
});
