import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeFolder, startCommand, type StartedServer } from './command.js';

/** A protocol whose server holds the event loop for ever at the first byte that comes. */
const LOOP = `
import { writeSync } from 'node:fs';
import { createServer } from 'node:net';
const object = (properties) => ({ type: 'object', properties, additionalProperties: false });
export const loop = {
  kind: 'loop',
  meta: { title: 'Loop', summary: 'Loops.', transport: 'stream', defaultPort: 7777, url: 'tcp://{host}:{port}' },
  config: object({}),
  mocks: { noun: 'mock', configKey: 'mocks', mode: 'first', schema: object({}), examples: [{ id: 'a' }], compile: () => ({}) },
  fault: { schema: object({ late: { type: 'boolean' } }), default: {} },
  capture: { schema: object({ id: { type: 'string' } }) },
  create() {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('hello');
      socket.on('data', () => {
        writeSync(2, 'for ever\\n');
        for (;;);
      });
    });
    return {
      start: () => new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve({ host: '127.0.0.1', port: server.address().port }));
      }),
      stop: () => new Promise((resolve) => server.close(() => resolve())),
    };
  },
};
`;

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer | undefined;
beforeEach(() => {
  folder = makeFolder();
  const place = join(folder.path, 'loop');
  mkdirSync(place);
  const manifest = { name: 'loop', type: 'module', exports: './index.js', backlot: { protocol: 'loop' } };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(place, 'index.js'), LOOP);
});
afterEach(() => {
  // Nothing else ends it when the test has failed.
  server?.child.kill('SIGKILL');
  server = undefined;
  folder.remove();
});

async function startLoop(): Promise<StartedServer> {
  const args = ['--only=loop', '--plugin=./loop', '--loop-port=0', '--api-port=0'];
  server = await startCommand(args, { cwd: folder.path });
  return server;
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'is killed soon after %s when a plugin holds the event loop for ever',
  async (signal) => {
    const { child, errors, ended, urls } = await startLoop();
    const socket = connect(Number(new URL(urls['loop'] ?? '').port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('now'));
    await new Promise<void>((resolve) =>
      child.stderr?.on('data', (text: string) => text.includes('for ever') && resolve()),
    );
    child.kill(signal);
    // The loop has no end, and neither has this test when nobody ends it.
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    expect(errors()).toContain('error: killed, since something holds the event loop');
    socket.destroy();
  },
);

it('ends with 0 after SIGTERM when a further plugin has ended its work', async () => {
  const { stop } = await startLoop();
  expect(await stop()).toMatchObject({ code: 0, stderr: '' });
});
