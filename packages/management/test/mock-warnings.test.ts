import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Importer, Protocol } from '@backlot/core';
import { echo } from './support/echo.js';
import { start, stopAll } from './support/start.js';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'warnings-'));
  file = join(folder, 'contract.txt');
  writeFileSync(file, 'answers are short');
});
afterEach(stopAll);
afterAll(() => rmSync(folder, { recursive: true }));

/** The echo protocol with a contract: answers have at most five characters. */
const short = {
  ...echo,
  contracts: {
    formats: 'a text',
    load: async () => ({
      operations: [],
      digest: '1',
      checkMock: ({ answer }: Readonly<Record<string, unknown>>) =>
        String(answer).length > 5
          ? [{ path: '/answer', message: `/answer "${String(answer)}" is too long` }]
          : [],
    }),
  },
} as unknown as Protocol;

function startWith(mode: string, options: Parameters<typeof start>[0] = {}): ReturnType<typeof start> {
  return start(options, { protocols: [short], settings: { echo: { port: 0, contract: { file, mode } } } });
}

const WARNING = (id: string, answer: string): string =>
  `"/answer: mock \\"${id}\\" answers what the contract does not allow: /answer \\"${answer}\\" is too long"`;

it('warns who creates a mock that the contract does not allow, and takes it', async () => {
  const { call, ask } = await startWith('warn');
  const created = await call('POST', '/api/mocks/echo', { id: 'a', match: 'a', answer: 'zu lang für dich' });
  expect(created.status).toBe(201);
  expect(created.headers.get('backlot-warning')).toBe(
    String.raw`"/answer: mock \"a\" answers what the contract does not allow: /answer \"zu lang f%C3%BCr dich\" is too long"`,
  );
  expect(await ask('SAY a')).toBe('zu lang für dich');
  const replaced = await call('PUT', '/api/mocks/echo/a', { match: 'a', answer: 'still long' });
  expect(replaced.headers.get('backlot-warning')).toContain('still long');
  const fine = await call('PUT', '/api/mocks/echo/a', { match: 'a', answer: 'short' });
  expect(fine.headers.get('backlot-warning')).toBeNull();
});

it('warns of a list in ten lines at the most', async () => {
  const { call } = await startWith('warn');
  const mocks = Array.from({ length: 40 }, (_, index) => ({
    id: `m${index}`,
    match: `m${index}`,
    answer: 'x'.repeat(6),
  }));
  const { status, headers, body } = await call('POST', '/api/mocks/echo', mocks);
  expect([status, body.length]).toEqual([201, 40]);
  const lines = (headers.get('backlot-warning') ?? '').split(/(?<="), (?=")/);
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('"there are more"');
});

it('warns of what a patch makes of a mock', async () => {
  const { call } = await startWith('warn');
  await call('POST', '/api/mocks/echo', { id: 'a', match: 'a', answer: 'short' });
  const patched = await call('PATCH', '/api/mocks/echo/a', { answer: '100 % more' });
  expect([patched.status, patched.body.answer]).toEqual([200, '100 % more']);
  expect(patched.headers.get('backlot-warning')).toBe(WARNING('a', '100 %25 more'));
  const fine = await call('PATCH', '/api/mocks/echo/a', { answer: 'well' });
  expect(fine.headers.get('backlot-warning')).toBeNull();
});

it('warns of a mock that is only tried, and notes nothing of it', async () => {
  const { call, host } = await startWith('warn');
  const mock = { match: 'a', answer: 'much too long' };
  const tried = await call('POST', '/api/dry-run/echo', { mock });
  expect(tried.body).toEqual({ looked_at: 0, matches: 0, changes: [] });
  expect(tried.headers.get('backlot-warning')).toBe(WARNING('(dry run)', 'much too long'));
  expect(host.kind('echo').mocks.check({ ...mock, id: 'b' })).toEqual([
    { path: '/answer', message: expect.stringContaining('mock "b" answers what the contract does not') },
  ]);
  expect(host.kind('echo').mocks.list()).toEqual([]);
});

const lines: Importer = {
  format: 'lines',
  title: 'Lines',
  detect: () => 'sure',
  *convert({ text }) {
    yield;
    const mocks = text.split('\n').map((answer, index) => ({ id: `m${index}`, match: `${index}`, answer }));
    return { protocols: { echo: { mocks } } };
  },
};
const imports = { load: async () => ({ importers: [lines], parseTree: () => ({}) }) };

it('warns of what an import makes, tried or not, and leaves out what an enforced contract does not allow', async () => {
  const { call } = await startWith('warn', { imports });
  const file = { content: 'short\nmuch too long' };
  for (const query of ['?dry_run=true', '']) {
    const { status, body, headers } = await call('POST', `/api/import${query}`, file);
    expect([status, body.created]).toEqual([200, { 'echo mocks': 2 }]);
    expect(headers.get('backlot-warning')).toBe(WARNING('m1', 'much too long'));
  }
  const enforced = await startWith('enforce', { imports });
  const { body, headers } = await enforced.call('POST', '/api/import', file);
  expect(headers.get('backlot-warning')).toBeNull();
  expect(body).toMatchObject({
    created: { 'echo mocks': 1 },
    refused: [{ place: 'm1', message: expect.stringContaining('"much too long" is too long') }],
  });
});

it('warns of nothing where there is no contract, and refuses where it is enforced', async () => {
  const long = { id: 'a', match: 'a', answer: 'too long' };
  const plain = await (await start()).call('POST', '/api/mocks/echo', long);
  expect([plain.status, plain.headers.get('backlot-warning')]).toEqual([201, null]);
  const { call } = await startWith('enforce');
  expect((await call('POST', '/api/mocks/echo', long)).status).toBe(400);
});
