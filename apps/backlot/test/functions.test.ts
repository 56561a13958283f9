import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_FREE_PORTS, makeFolder, runCommand, startCommand } from './command.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.remove());

function write(file: string, content: string): void {
  writeFileSync(join(folder.path, file), content);
}

async function validate(): Promise<string> {
  const { stdout, stderr } = await runCommand(['validate', 'backlot.yaml'], { cwd: folder.path });
  return stdout + stderr;
}

describe('functions of a configuration', () => {
  it('answer, from modules of both forms', async () => {
    write(
      'handlers.mjs',
      'export const pay = async ({ body }) => ({ json: { paid: body.amount, tag: "{{n}}" } });',
    );
    write('plain.cjs', 'module.exports = () => ({ type: "bulk", value: "from CommonJS" });');
    write(
      'backlot.yaml',
      `protocols:
  http:
    mocks:
      - id: pay
        request: { method: POST, path: /pay }
        respond: { module: ./handlers.mjs, export: pay }
  redis:
    mocks:
      - { id: any, command: GET, respond: { module: ./plain.cjs } }
`,
    );
    const server = await startCommand(ALL_FREE_PORTS, { cwd: folder.path });
    try {
      const url = server.urls['http'] ?? '';
      const paid = await fetch(`${url}/pay`, { method: 'POST', body: '{"amount":5}' });
      expect(await paid.json()).toEqual({ paid: 5, tag: '{{n}}' });

      const shown = await fetch(`${server.urls['api'] ?? ''}/api/mocks/http/pay`);
      expect(await shown.json()).toMatchObject({ respond: { module: './handlers.mjs', export: 'pay' } });
      const body = JSON.stringify({
        request: { path: '/x' },
        respond: { module: './handlers.mjs', export: 'pay' },
      });
      for (const [method, path] of [
        ['POST', '/api/mocks/http'],
        ['PUT', '/api/mocks/http/pay'],
      ] as const) {
        const refused = await fetch((server.urls['api'] ?? '') + path, {
          method,
          body,
          headers: { 'content-type': 'application/json' },
        });
        expect(refused.status).toBe(400);
        expect(await refused.text()).toContain('a function comes with code alone');
      }
    } finally {
      await server.stop();
    }
  });

  it('that are not there are told with their place', async () => {
    write('handlers.mjs', 'export const pay = () => ({}); export const rate = 5;');
    write('broken.mjs', 'throw new Error("not today");');
    write(
      'backlot.yaml',
      `protocols:
  http:
    mocks:
      - { request: { path: /a }, respond: { module: ./handlers.mjs, export: rate } }
      - { request: { path: /b }, respond: { module: ./broken.mjs } }
      - { request: { path: /c }, respond: { module: handlers.mjs } }
      - { request: { path: /d }, respond: { export: pay } }
      - { request: { path: /e }, respond: { module: ./handlers.mjs, export: pay }, response: {} }
`,
    );
    const said = await validate();
    expect(said).toMatch(
      /yaml:4:.*mocks\[0\]\.respond: module ".\/handlers.mjs" exports no function "rate"; it exports pay/,
    );
    expect(said).toMatch(/yaml:5:.*module ".\/broken.mjs" cannot be loaded: not today/);
    expect(said).toMatch(/yaml:6:.*there is no package "handlers.mjs".*"\.\/handlers.mjs"/);
    expect(said).toMatch(/yaml:7:.*a function comes with code alone: name its module and export/);
    expect(said).toMatch(/yaml:8:.*response: cannot stand beside "respond"/);
    expect(said.trim().split('\n')).toHaveLength(5);
  });
});
