import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { INSTALLED_PROTOCOLS } from '../../src/installed.generated.js';
import { makeFolder, startCommand, type StartedServer } from '../command.js';
import { EXCHANGES } from './exchanges.js';

const KINDS = INSTALLED_PROTOCOLS.map(({ kind }) => kind);

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
beforeAll(async () => {
  folder = makeFolder();
  const protocols = Object.fromEntries(
    KINDS.map((kind) => [kind, { ...EXCHANGES[kind]?.settings, port: 0 }]),
  );
  writeFileSync(join(folder.path, 'backlot.yaml'), stringify({ api: { port: 0 }, protocols }));
  server = await startCommand([], { cwd: folder.path });
});
afterAll(async () => {
  const { code, stderr } = await server.stop();
  folder.remove();
  expect([code, stderr]).toEqual([0, '']);
});

describe('the packed app, with every kind', () => {
  it('says where each of them listens', () => {
    expect(Object.keys(server.urls)).toEqual([...KINDS, 'api']);
  });

  it.each(KINDS)('serves %s', async (kind) => {
    const exchange = EXCHANGES[kind];
    if (exchange === undefined) throw new Error(`there is no exchange for ${kind}; add one to exchanges.ts`);
    expect(await exchange.run(Number(/:(\d+)/.exec(server.urls[kind] ?? '')?.[1]))).toEqual(exchange.want);
  });

  it('runs them all, and logs what they were sent', async () => {
    const answer = await fetch(`${server.urls['api']}/api/protocols`);
    const listed = (await answer.json()) as { protocol: string; state: string }[];
    expect(listed.map(({ protocol, state }) => [protocol, state])).toEqual(
      KINDS.map((kind) => [kind, 'running']),
    );
    const { count } = (await (await fetch(`${server.urls['api']}/api/logs/count`)).json()) as {
      count: number;
    };
    expect(count).toBeGreaterThanOrEqual(KINDS.length);
  });
});
