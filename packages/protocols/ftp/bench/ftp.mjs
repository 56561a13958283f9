// What a download costs: bare ftp-srv with files in memory, against this plugin with 1 and with 10,000 files; and one
// file of 50 MB. Servers are processes of their own; cases take turns, since what else the machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const CLIENTS = 8;
const SMALL = Buffer.alloc(10_000, 'a');
const LARGE_BYTES = 50_000_000;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') return serveBare();
  const { createHost } = await import('@backlot/core');
  const { ftp } = await import('@backlot/ftp');
  const host = await createHost({
    protocols: [ftp],
    settings: { ftp: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const { mocks, address } = host.kind('ftp');
  mocks.create({ path: '/dir/small', content: SMALL.toString() });
  mocks.create({ path: '/large', content: Buffer.alloc(LARGE_BYTES).toString('base64'), encoding: 'base64' });
  for (let n = 1; n < (name === 'many' ? MANY : 1); n += 1) {
    mocks.create({ path: `/many/${n % 100}/${n}`, content: 'x' });
  }
  process.send({ port: address.port });
}

/** ftp-srv as it comes, which listens by itself and needs a port that is free. */
async function serveBare() {
  const { FtpSrv } = await import('ftp-srv');
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
  const large = Buffer.alloc(LARGE_BYTES);
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
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
  process.send({ port });
}

async function measure() {
  const cases = [];
  try {
    for (const [name, label] of [
      ['bare', 'bare ftp-srv'],
      ['one', '1 file'],
      ['many', `${MANY.toLocaleString('en')} files`],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ label, child, port, rates: [], lists: [], larges: [], costs: [] });
    }
    for (const each of cases) await load(each, 'RETR /dir/small');
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const downloads = await load(each, 'RETR /dir/small');
        each.rates.push(downloads / SECONDS);
        each.costs.push(((await cpuOf(each)) - before) / downloads);
        each.lists.push((await load(each, 'LIST /dir')) / SECONDS);
        each.larges.push(await timeLarge(each));
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

/** How many times clients get something within the time. */
async function load({ port }, command) {
  const end = performance.now() + SECONDS * 1000;
  const counts = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = await openClient(port);
      let count = 0;
      while (performance.now() < end) {
        await transfer(client, command);
        count += 1;
      }
      client.socket.destroy();
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** MB per second. */
async function timeLarge({ port }) {
  const client = await openClient(port);
  const start = performance.now();
  const bytes = await transfer(client, 'RETR /large');
  if (bytes !== LARGE_BYTES) throw new Error(`got ${bytes} bytes, want ${LARGE_BYTES}`);
  client.socket.destroy();
  return LARGE_BYTES / 1000 / (performance.now() - start);
}

async function openClient(port) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let wake = () => undefined;
  socket.on('data', (chunk) => {
    text += chunk;
    wake();
  });
  /** The next last line of a reply. */
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
  await ask('USER a');
  await ask('PASS a');
  await ask('TYPE I');
  return { socket, ask, next };
}

async function transfer({ ask, next }, command) {
  const port = Number(/\|\|\|(\d+)\|/.exec(await ask('EPSV'))[1]);
  const data = net.connect({ port, host: '127.0.0.1' });
  let bytes = 0;
  data.on('data', (chunk) => (bytes += chunk.length));
  const over = once(data, 'close');
  const begun = await ask(command);
  if (!begun.startsWith('1')) throw new Error(begun);
  await over;
  await next();
  return bytes;
}

function report(cases) {
  const [bare, one, many] = cases;
  console.log('| ftp | 10 KB downloads/s | of bare | server CPU per download | LIST/s | 50 MB download |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const { label, rates, costs, lists, larges } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${Math.round(median(costs))} us | ${Math.round(median(lists))} | ${Math.round(median(larges))} MB/s |`,
    );
  }
  const flat = (name) => median(many[name].map((rate, round) => rate / one[name][round])).toFixed(2);
  console.log(`\n10,000 files of 1 file: downloads ${flat('rates')}, LIST ${flat('lists')}`);
}

async function cpuOf({ child }) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
