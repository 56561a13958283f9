import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  FREE_PORTS,
  makeFolder,
  startCommand,
  useOneProcess,
  type Ended,
  type StartedServer,
} from './command.js';

// What a contract with `mode: warn` does not allow of a mock is said by each command that makes one.

const CONTRACT = `openapi: 3.0.3
info: { title: Pets, version: '1' }
paths:
  /pets:
    get:
      responses:
        '200': { content: { application/json: { schema: { type: array, items: { type: integer } } } } }
`;
const CONFIG = (mocks: string): string =>
  `protocols:\n  http:\n    contract: { file: pets.yaml, mode: warn }\n    mocks: ${mocks}\n`;
const mock = (id: string, json: string): string =>
  `{ "id": "${id}", "request": { "method": "GET", "path": "/pets" }, "response": { "json": ${json} } }`;
const WARNING = (id: string): string =>
  `warning: /response: mock "${id}" answers what the contract does not allow: /0 must be an integer`;

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
const runTogether = useOneProcess();
beforeAll(async () => {
  folder = makeFolder();
  write('pets.yaml', CONTRACT);
  write('backlot.yaml', CONFIG('[]'));
  server = await startCommand(FREE_PORTS, { cwd: folder.path });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

function write(name: string, text: string): void {
  writeFileSync(join(folder.path, name), text);
}

function run(...args: readonly string[]): Promise<Ended> {
  return runTogether(args, { cwd: folder.path, env: { BACKLOT_URL: server.urls['api'] ?? '' } });
}

it('add warns, and creates it', async () => {
  const { code, stdout, stderr } = await run('add', 'http', mock('added', '["a"]'));
  expect([code, stdout, stderr.trim()]).toEqual([0, 'created added\n', WARNING('added')]);
  expect((await run('add', 'http', mock('fine', '[1]'))).stderr).toBe('');
});

it('apply warns of what it adds and of what it replaces, and validate of what stands in the file', async () => {
  write('other.yaml', CONFIG(`[${mock('added', '["ü"]')}, ${mock('applied', '["b"]')}]`));
  const { code, stderr } = await run('apply', 'other.yaml');
  expect([code, stderr]).toEqual([0, expect.stringContaining(WARNING('added'))]);
  expect(stderr).toContain(WARNING('applied'));
  const { code: validated, stdout } = await run('validate', 'other.yaml');
  expect(validated).toBe(0);
  for (const id of ['added', 'applied'])
    expect(stdout).toContain(`warning: mock "${id}" answers what the contract does not allow: /0 must be`);
});

it('import warns of what it has made', async () => {
  write('more.yaml', `protocols:\n  http:\n    mocks: [${mock('imported', '["c"]')}]\n`);
  const { code, stdout, stderr } = await run('import', 'more.yaml');
  expect([code, stderr.trim()]).toEqual([0, WARNING('imported')]);
  expect(stdout).toContain('created: 1 http mocks');
});
