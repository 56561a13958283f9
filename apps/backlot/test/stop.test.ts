import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { follow, makeFolder, startCommand, type RunningCommand } from './command.js';

/** Milliseconds in which a stop ends: of work, since those of a clock pass on a busy machine while nothing is done. */
const MAX_STOP = 2_000;
const JIFFY_MS = 10;
const PIECE = Buffer.alloc(64 * 1024, 'x');

let folder: ReturnType<typeof makeFolder>;
let running: RunningCommand | undefined;
const sockets: Socket[] = [];
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  running?.child.kill('SIGKILL');
  running = undefined;
  folder.remove();
});

const write = (name: string, text: string): void => writeFileSync(join(folder.path, name), text);

/** Milliseconds that the thread of a process's event loop has worked: what others collect and compile beside it holds up nobody. */
function worked(id: number | string | undefined): number {
  const stat = readFileSync(`/proc/${id}/task/${id}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * JIFFY_MS;
}

/** Lets a process end, and checks that it did so soon, and how: with a code, or by the signal. */
async function checkStop(
  server: RunningCommand,
  how: readonly unknown[],
  id: number | string | undefined = server.child.pid,
): Promise<void> {
  const before = worked(id);
  let after = before;
  const timer = setInterval(() => {
    try {
      after = worked(id);
    } catch {
      // It has ended.
    }
  }, JIFFY_MS);
  process.kill(Number(id), 'SIGTERM');
  const { code, stderr } = await server.ended;
  clearInterval(timer);
  expect(how).toContain(code ?? server.child.signalCode);
  expect(stderr).toBe('');
  expect(after - before).toBeLessThan(MAX_STOP);
}

/** A connection to a server of a url, which stays whatever becomes of it. */
async function open(url = ''): Promise<Socket & { until(pattern: RegExp): Promise<RegExpExecArray> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  let text = '';
  const look = new Set<() => void>();
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
    for (const each of look) each();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return Object.assign(socket, {
    until: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        const see = (): void => {
          const found = pattern.exec(text);
          if (found === null) return;
          text = '';
          look.delete(see);
          resolve(found);
        };
        look.add(see);
        see();
      }),
  });
}

/** Goes on sending as fast as it is taken, and resolves when some of it was. */
function pour(socket: Socket): Promise<void> {
  const more = (): void => {
    while (!socket.destroyed && socket.write(PIECE));
  };
  socket.on('drain', more);
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    more();
  });
}

it('a stop ends soon while much is sent in every way, and an import is at work', async () => {
  const large = 1_000_000_000;
  write(
    'backlot.yaml',
    [
      'api: { port: 0, max_body_bytes: 20000000 }',
      'services: [aws-s3]',
      'protocols:',
      `  http: { port: 0, max_body_bytes: ${large}, mocks: [{ id: up, request: { path: /up }, response: { body: ok } }, { id: down, request: { path: /down }, response: { body: "{{rand_string 65536}}" } }] }`,
      '  smtp: { port: 0, max_message_bytes: 268435456 }',
      '  ftp: { port: 0 }',
    ].join('\n'),
  );
  const server = await startCommand(['--aws-s3-port=0'], { cwd: folder.path });
  running = server;
  const { urls } = server;
  const upload = await open(urls['http']);
  upload.write(`POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: ${large}\r\n\r\n`);
  const object = await open(urls['http']);
  object.write(
    `PUT /aws-s3/bucket/key HTTP/1.1\r\nHost: x\r\nx-amz-content-sha256: UNSIGNED-PAYLOAD\r\nContent-Length: ${large}\r\n\r\n`,
  );
  const mail = await open(urls['smtp']);
  await mail.until(/^220 .*\r\n/m);
  for (const line of ['EHLO x', 'MAIL FROM:<a@b.c>', 'RCPT TO:<d@e.f>', 'DATA']) {
    mail.write(`${line}\r\n`);
    await mail.until(/^\d{3} .*\r\n/m);
  }
  const files = await open(urls['ftp']);
  await files.until(/^220 .*\r\n/m);
  for (const line of ['USER a', 'PASS b', 'EPSV']) {
    files.write(`${line}\r\n`);
    if (line !== 'EPSV') await files.until(/^\d{3} .*\r\n/m);
  }
  const [, port] = await files.until(/\(\|\|\|(\d+)\|\)/);
  const data = await open(`ftp://127.0.0.1:${port}`);
  files.write('STOR large.bin\r\n');
  await files.until(/^150 /m);
  const download = await open(urls['http']);
  download.write('GET /down HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2000));
  await download.until(/200 OK/);
  download.pause();
  await Promise.all([upload, object, mail, data].map(pour));

  const stub = (n: number): unknown => ({
    request: { method: 'GET', url: `/stub/${n}` },
    response: { status: 200, body: `${n}`.padEnd(60, '.') },
  });
  const stubs = JSON.stringify({ mappings: Array.from({ length: 90_000 }, (_, n) => stub(n)) });
  expect(stubs.length).toBeGreaterThan(10_000_000);
  const sent = request(`${urls['api']}/api/import?format=wiremock`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
  });
  let answer: number | undefined;
  sent.on('response', (response) => (answer = response.statusCode)).on('error', () => undefined);
  await new Promise<void>((resolve) => sent.end(stubs, resolve));
  expect(answer).toBeUndefined();
  await checkStop(server, [0]);
});

/** Writes a configuration that takes long to be read. */
function writeLarge(): string {
  const keys = Array.from({ length: 200_000 }, (_, n) => `  key-${n}: ${`value ${n}`.padEnd(100, '.')}\n`);
  const text = `api: { port: 0 }\nstate:\n${keys.join('')}`;
  write('backlot.yaml', text);
  return text;
}

/** Waits until a process has read so much since its beginning, by the system's count; the program itself is a part of it. */
async function untilRead(id: number | string | undefined, length: number): Promise<void> {
  const read = (): number => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${id}/io`, 'utf8'))?.[1]);
  while (read() < length) await new Promise((resolve) => setImmediate(resolve));
}

it('a stop ends soon while a file of 200,000 keys is read', async () => {
  const { length } = writeLarge();
  running = follow(['start', '--only=tcp', '--tcp-port=0'], { cwd: folder.path });
  await untilRead(running.child.pid, length);
  expect(running.output()).toBe('');
  // Nothing is open yet that would have to be closed.
  await checkStop(running, ['SIGTERM', 0]);
});

const FIRST_PROCESS = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const canUnshare = spawnSync('unshare', [...FIRST_PROCESS, 'true']).status === 0;
(canUnshare ? it : it.skip)('the first process of a container is stopped while a file is read', async () => {
  const { length } = writeLarge();
  const within = ['unshare', ...FIRST_PROCESS];
  running = follow(['start', '--only=tcp', '--tcp-port=0'], { cwd: folder.path, within });
  const { pid } = running.child;
  const child = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  while (child() === '') await new Promise((resolve) => setImmediate(resolve));
  await untilRead(child(), length);
  expect(running.output()).toBe('');
  await checkStop(running, [143, 0], child());
});
