// What a download costs: bare ftp-srv with files in memory, against this plugin with 1 and with 10,000 files; lists; and one
// file of 50 MB, counted in megabytes.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createHost } from '@backlot/core';
import { ftp } from '@backlot/ftp';
import { compareServers, connect, freePort, startMocks } from '@backlot/tooling/bench';
import { FtpSrv } from 'ftp-srv';

const MANY = 10_000;
const CLIENTS = 8;
const SMALL = Buffer.alloc(10_000, 'a');
const LARGE_BYTES = 50_000_000;

const serve = (count) => () =>
  startMocks(createHost, ftp, [
    { path: '/dir/small', content: SMALL.toString() },
    { path: '/large', content: Buffer.alloc(LARGE_BYTES).toString('base64'), encoding: 'base64' },
    ...Array.from({ length: count - 1 }, (_, n) => ({ path: `/many/${n % 100}/${n}`, content: 'x' })),
  ]);

await compareServers(import.meta.url, {
  name: 'ftp',
  unit: 'transfer',
  servers: { bare: serveBare, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare ftp-srv', server: 'bare' },
    { label: '1 file', server: 'one' },
    { label: '10,000 files', server: 'many' },
  ],
  load: {
    'downloads of 10 KB': ({ port }, milliseconds) => load(port, 'RETR /dir/small', milliseconds),
    lists: ({ port }, milliseconds) => load(port, 'LIST /dir', milliseconds),
    'megabytes of a large file': ({ port }) => getLarge(port),
  },
  ratios: [{ what: '10,000 files', of: '1 file' }],
});

/** ftp-srv as it comes, which listens by itself and needs a port that is free. */
async function serveBare() {
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
  const large = Buffer.alloc(LARGE_BYTES);
  const port = await freePort();
  const server = new FtpSrv({ log, url: `ftp://127.0.0.1:${port}`, pasv_url: '127.0.0.1', pasv_min: 20_000 });
  const stat = (name, size, isDirectory) => ({
    name,
    size,
    mtime: new Date(),
    isDirectory: () => isDirectory,
  });
  const files = {
    currentDirectory: () => '/',
    get: (name) => stat(name, 0, name === '/dir'),
    list: () => [stat('small', SMALL.length, false)],
    read: (name) => Readable.from([name === '/large' ? large : SMALL], { objectMode: false }),
  };
  server.on('login', (_login, resolve) => resolve({ fs: files }));
  await server.listen();
  return port;
}

/** How many times clients get something within the time. */
async function load(port, command, milliseconds) {
  const end = performance.now() + milliseconds;
  let count = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = await openClient(port);
      for (; performance.now() < end; count += 1) await transfer(client, command);
      client.socket.destroy();
    }),
  );
  return count;
}

async function getLarge(port) {
  const client = await openClient(port);
  const start = performance.now();
  const bytes = await transfer(client, 'RETR /large');
  if (bytes !== LARGE_BYTES) throw new Error(`got ${bytes} bytes, want ${LARGE_BYTES}`);
  client.socket.destroy();
  return { count: LARGE_BYTES / 1_000_000, milliseconds: performance.now() - start };
}

async function openClient(port) {
  const socket = await connect(port);
  let text = '';
  let wake = () => undefined;
  socket.on('data', (chunk) => {
    text += chunk;
    wake();
  });
  /** The next reply, to its last line. */
  const next = async () => {
    for (;;) {
      const found = /^(?:\d{3}-[^\n]*\n| [^\n]*\n)*\d{3} [^\n]*\n/.exec(text)?.[0];
      if (found !== undefined) {
        text = text.slice(found.length);
        return found;
      }
      await new Promise((resolve) => (wake = resolve));
    }
  };
  const ask = (line) => {
    socket.write(`${line}\r\n`);
    return next();
  };
  await next();
  for (const line of ['USER a', 'PASS a', 'TYPE I']) await ask(line);
  return { socket, ask, next };
}

async function transfer({ ask, next }, command) {
  const data = await connect(Number(/\|\|\|(\d+)\|/.exec(await ask('EPSV'))[1]));
  let bytes = 0;
  data.on('data', (chunk) => (bytes += chunk.length));
  const over = once(data, 'close');
  const begun = await ask(command);
  if (!begun.startsWith('1')) throw new Error(begun);
  await over;
  await next();
  return bytes;
}
