// Mails per second: a bare smtp-server that reads and drops what it gets, against this plugin without rules, and with 1
// and with 10,000 rules. Servers are processes of their own; cases take turns, since what else the machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const CONNECTIONS = 8;
const DATA =
  'From: a@example.com\r\nTo: b@example.com\r\nSubject: hello\r\nMessage-ID: <1@example.com>\r\n' +
  `Content-Type: text/plain; charset=utf-8\r\n\r\n${'A line of text as mails have them.\r\n'.repeat(10)}.\r\n`;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') {
    const { SMTPServer } = await import('smtp-server');
    const server = new SMTPServer({
      logger: false,
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      onData(stream, _session, callback) {
        stream.on('data', () => undefined).on('end', () => callback());
      },
    });
    server.listen(0, '127.0.0.1', () => process.send({ port: server.server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { smtp } = await import('@backlot/smtp');
  const host = await createHost({
    protocols: [smtp],
    settings: { smtp: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const count = { none: 0, one: 1, many: MANY }[name];
  if (count > 0) {
    const rules = Array.from({ length: count }, (_, n) => ({ to: `n${n}@example.com`, subject: 'hello' }));
    host.kind('smtp').mocks.createAll(rules);
  }
  process.send({ port: host.kind('smtp').address.port });
}

async function measure() {
  const cases = [];
  try {
    for (const [name, label, count] of [
      ['bare', 'bare smtp-server', 1],
      ['none', 'no rules', 1],
      ['one', '1 rule', 1],
      ['many', `${MANY.toLocaleString('en')} rules`, MANY],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ label, child, port, count, rates: [], costs: [] });
    }
    for (const each of cases) await load(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const sent = await load(each);
        each.rates.push(sent / SECONDS);
        each.costs.push(((await cpuOf(each)) - before) / sent);
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

/** Connections that send one mail after the other, each step when the one before was answered. */
async function load({ port, count }) {
  let sent = 0;
  let next = 0;
  const end = { at: Infinity };
  const sockets = [];
  const isOver = () => performance.now() >= end.at;
  const runs = Array.from({ length: CONNECTIONS }, async () => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.push(socket);
    const replies = socket[Symbol.asyncIterator]();
    await replies.next();
    socket.write('EHLO bench\r\n');
    await replies.next();
    end.at = Math.min(end.at, performance.now() + SECONDS * 1000);
    while (!isOver()) {
      next += 1;
      for (const step of [
        'MAIL FROM:<a@example.com>\r\n',
        `RCPT TO:<n${next % count}@example.com>\r\n`,
        'DATA\r\n',
        DATA,
      ]) {
        socket.write(step);
        const { value } = await replies.next();
        if (value[0] > 51) throw new Error(String(value));
      }
      sent += 1;
    }
  });
  await Promise.all(runs);
  for (const socket of sockets) socket.destroy();
  return sent;
}

function report(cases) {
  const [bare, , one, many] = cases;
  console.log('| smtp | mails/s | of bare | server CPU per mail |\n| --- | ---: | ---: | ---: |');
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${median(costs).toFixed(0)} us |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 rules of 1 rule: ${flat.toFixed(2)}`);
}

async function cpuOf({ child }) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
