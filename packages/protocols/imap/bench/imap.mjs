// What a FETCH of a message costs: a bare node:net server that cuts lines and answers the same bytes, against this plugin
// with 1 and with 1,000 mailboxes. Servers are processes of their own; cases take turns, since what else the machine does
// changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 1_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const CONNECTIONS = 8;
const UNDER_WAY = 16;
const BODY = 'A line of a message, as people write them.\r\n'.repeat(40);
const RAW = `From: ann@example.com\r\nSubject: bench\r\n\r\n${BODY}`;

const nameOf = (n) => `Folder${n}`;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

/** Calls back for each line that does not belong to a literal; `skip` says how many bytes to leave out behind it. */
function linesTo(take) {
  let rest = '';
  return (chunk) => {
    const text = rest + chunk;
    let from = 0;
    for (;;) {
      const end = text.indexOf('\r\n', from);
      if (end < 0) break;
      take(text.slice(from, end));
      from = end + 2;
    }
    rest = text.slice(from);
  };
}

function serveBare() {
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.write('* OK ready\r\n');
    socket.on(
      'data',
      linesTo((line) => {
        const [tag, command] = line.split(' ');
        if (command !== 'FETCH') return socket.write(`${tag} OK done\r\n`);
        socket.write(
          `* 1 FETCH (BODY[] {${RAW.length}}\r\n${RAW})\r\n${tag} OK FETCH completed\r\n`,
          'latin1',
        );
      }),
    );
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') return serveBare();
  const { createHost } = await import('@backlot/core');
  const { imap } = await import('@backlot/imap');
  const count = name === 'many' ? MANY : 1;
  const mailboxes = Array.from({ length: count }, (_, n) => ({ name: nameOf(n), messages: [{ raw: RAW }] }));
  const host = await createHost({
    protocols: [imap],
    settings: { imap: { host: '127.0.0.1', port: 0, mailboxes } },
  });
  await host.start();
  process.send({ port: host.kind('imap').address.port });
}

async function measure() {
  const cases = [];
  try {
    for (const [name, label] of [
      ['bare', 'bare node:net'],
      ['one', '1 mailbox'],
      ['many', `${MANY.toLocaleString('en')} mailboxes`],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const port = await portOf(child);
      cases.push({ label, child, port, count: name === 'many' ? MANY : 1, rates: [], costs: [] });
    }
    for (const each of cases) await load(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const { rate, answered } = await load(each);
        each.rates.push(rate);
        each.costs.push(((await cpuOf(each)) - before) / answered);
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

/** FETCHes over several connections, each with so many under way, for the given time. */
async function load({ port, count }) {
  let answered = 0;
  const start = performance.now();
  const end = start + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      socket.setEncoding('latin1');
      const FETCH = 'f FETCH 1 BODY.PEEK[]\r\n';
      await new Promise((resolve) => {
        let more = '';
        const parse = linesTo((line) => {
          if (line.startsWith('s OK')) more += FETCH.repeat(UNDER_WAY);
          else if (line.startsWith('f OK')) {
            answered += 1;
            more += FETCH;
          }
        });
        socket.on('data', (chunk) => {
          more = '';
          parse(chunk);
          if (performance.now() >= end) resolve();
          else if (more !== '') socket.write(more);
        });
        socket.write(`l LOGIN a b\r\ns SELECT ${nameOf((index * 97) % count)}\r\n`);
      });
      socket.destroy();
    }),
  );
  return { answered, rate: (answered * 1000) / (performance.now() - start) };
}

function report(cases) {
  const [bare, one, many] = cases;
  console.log('| imap | FETCH/s | of bare | server CPU per FETCH |\n| --- | ---: | ---: | ---: |');
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${median(costs).toFixed(1)} us |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n1,000 mailboxes of 1 mailbox: ${flat.toFixed(2)}`);
}

async function cpuOf({ child }) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

async function portOf(child) {
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof told?.port !== 'number') throw new Error('a server did not start');
  return told.port;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
