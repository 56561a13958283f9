import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
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

function startWith(mode: string): ReturnType<typeof start> {
  return start({}, { protocols: [short], settings: { echo: { port: 0, contract: { file, mode } } } });
}

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

it('warns of nothing where there is no contract, and refuses where it is enforced', async () => {
  const long = { id: 'a', match: 'a', answer: 'too long' };
  const plain = await (await start()).call('POST', '/api/mocks/echo', long);
  expect([plain.status, plain.headers.get('backlot-warning')]).toEqual([201, null]);
  const { call } = await startWith('enforce');
  expect((await call('POST', '/api/mocks/echo', long)).status).toBe(400);
});
