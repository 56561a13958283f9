import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool, type ListenAddress } from '@backlot/conformance';
import { createHost, type Host, type Json } from '@backlot/core';
import { processCertificate } from '@backlot/kit';
import { gopher } from '../src/index.js';
import { fetchItem } from './fetch.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

const MOCKS = [
  {
    id: 'home',
    selector: { equals: '' },
    menu: [
      { title: 'Welcome' },
      { title: 'About', selector: '/about.txt' },
      { type: '1', title: 'Elsewhere', selector: '/', host: 'gopher.example', port: 70 },
    ],
  },
  { id: 'about', selector: '/about.txt', text: 'First.\n.hidden\n\nLast.\n' },
  { id: 'cats', selector: '/search', search: 'cat*', text: 'Found {{query.search}}.' },
  { id: 'echo', selector: '/echo', menu: [{ title: '{{query.search}}', selector: '/{{query.search}}' }] },
];

async function start(settings: Json = {}): Promise<ListenAddress> {
  host = await createHost({
    protocols: [gopher],
    settings: { gopher: { host: '127.0.0.1', port: 0, mocks: MOCKS, ...settings } },
  });
  await host.start();
  return { host: '127.0.0.1', port: host.kind('gopher').address?.port ?? 0 };
}

describe('curl', () => {
  const curl = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runTool('curl', ['-sS', ...args]);
    return code === 0 ? out : `${code}: ${err}`;
  };

  itWithTool('curl', 'reads the menu, a text and a search', async () => {
    const { port } = await start();
    const url = `gopher://127.0.0.1:${port}`;
    expect(await curl(url)).toBe(
      [
        `iWelcome\t\t127.0.0.1\t${port}`,
        `0About\t/about.txt\t127.0.0.1\t${port}`,
        '1Elsewhere\t/\tgopher.example\t70',
        '.',
        '',
      ].join('\r\n'),
    );
    expect(await curl(`${url}/0/about.txt`)).toBe('First.\r\n..hidden\r\n\r\nLast.\r\n.\r\n');
    expect(await curl(`${url}/7/search%09cats%20and%20dogs`)).toBe('Found cats and dogs.\r\n.\r\n');
    expect(await curl(`${url}/0/missing`)).toBe('3"/missing" is not here\t\terror.host\t1\r\n.\r\n');
    expect(
      host?.journal.list().map(({ method, path, query, matched_id: id }) => [method, path, query, id]),
    ).toEqual([
      ['FETCH', '', undefined, 'home'],
      ['FETCH', '/about.txt', undefined, 'about'],
      ['SEARCH', '/search', { search: 'cats and dogs' }, 'cats'],
      ['FETCH', '/missing', undefined, undefined],
    ]);
  });

  itWithTool('curl', 'is shut out by a fault that closes', async () => {
    const { port } = await start();
    host?.faults.set('gopher', { close: true });
    expect(await curl(`gopher://127.0.0.1:${port}/0/about.txt`)).toBe('');
  });

  itWithTool('curl', 'speaks TLS', async () => {
    const { port } = await start({ tls: {} });
    const folder = await mkdtemp(join(tmpdir(), 'backlot-gopher-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, (await processCertificate()).cert);
    try {
      const answer = await curl('--cacert', file, `gophers://127.0.0.1:${port}/7/search%09cat`);
      expect(answer).toBe('Found cat.\r\n.\r\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('gopher', () => {
  it('reads one line, in as many packets as it comes, and nothing behind it', async () => {
    const address = await start();
    const socket = net.connect(address);
    const answer = text(socket);
    for (const part of ['/sea', 'rch\tc', 'at\r', '\n/about.txt\r\n']) {
      await new Promise((resolve) => socket.write(part, resolve));
    }
    expect(await answer).toBe('Found cat.\r\n.\r\n');
    expect(host?.journal.list()).toHaveLength(1);
  });

  it('keeps what a client sends inside its field', async () => {
    const address = await start({ public_host: 'mock.test' });
    expect(await fetchItem(address, '/echo\ta\rb').answer).toBe(
      `0a b\t/a b\tmock.test\t${address.port}\r\n.\r\n`,
    );
  });

  it('says why a search was missed', async () => {
    const address = await start();
    await fetchItem(address, '/search\tdogs').answer;
    expect(host?.journal.list()[0]?.near_misses).toContainEqual({
      mock_id: 'cats',
      reason: expect.stringMatching(/search.*dogs.*cat/),
    });
  });

  it('answers a selector that is too long with an error', async () => {
    const address = await start();
    expect(await fetchItem(address, 'a'.repeat(5000)).answer).toBe(
      '3the selector is too long\t\terror.host\t1\r\n.\r\n',
    );
  });
});
