// Whether memory stays flat while clients of all twenty kinds come and go: `pnpm bench soak [minutes]`. The rings of the
// journal and of captured messages are small or filled first, so what still grows is held by something else.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CONFIG, MAX_CAPTURES, MAX_EMAILS, MAX_ENTRIES, PROTO } from './lib/soak-config.mjs';
import { chance, fillMemories, fillRings, makeSessions } from './lib/soak-player.mjs';

const USAGE = `usage: pnpm bench soak [minutes, 0.5 to 240] [--only kinds, such as tcp,http,management] [--snapshots folder]`;
const DEFAULT_MINUTES = 30;
/** Sessions under way at a time, and in all: a run ends by itself, however fast the machine is. */
const AT_A_TIME = 12;
const MAX_SESSIONS = 5_000_000;
const SAMPLE_EVERY = 30_000;
const SAMPLES_AT_LEAST = 16;
/** So many samples lie between resets. */
const RESET_EVERY = 2;
/** What may come and go without being a leak, in MB from the middle third to the last and for each 10,000 sessions. */
const MAX_GROWTH = 4;
const MAX_RATE = 0.5;

const { values: options, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { only: { type: 'string' }, snapshots: { type: 'string' } },
});
const minutes = Number(positionals[0] ?? DEFAULT_MINUTES);
const { snapshots } = options;
const only = options.only?.split(',');
/** Half a minute, or less in a short run. */
const sampleEvery = Math.min(SAMPLE_EVERY, (minutes * 60_000) / SAMPLES_AT_LEAST);
if (!(minutes >= 0.5 && minutes <= 240)) {
  console.error(USAGE);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'backlot-soak-'));
writeFileSync(join(folder, 'backlot.json'), JSON.stringify(CONFIG));
writeFileSync(join(folder, 'acme.proto'), PROTO);
const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const server = spawn(
  process.execPath,
  [
    '--expose-gc',
    '--import',
    at('lib/soak-probe.mjs'),
    at('../bin/backlot.js'),
    'start',
    '-c',
    'backlot.json',
  ],
  { cwd: folder, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
);
const url = await new Promise((resolve, reject) => {
  let output = '';
  server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)));
  server.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    const found = /^ready .*\bapi=(\S+)/m.exec(output);
    if (found !== null) resolve(found[1]);
  });
});
// Garbage is warned of, once for each connection; an error that nobody expected is not, and is printed.
let warnings = 0;
server.stderr.setEncoding('utf8').on('data', (text) => {
  for (const line of text.split('\n')) {
    if (line.startsWith('warning: ')) warnings += 1;
    else if (line !== '') process.stdout.write(`${line}\n`);
  }
});
let hasEnded = false;
server.once('exit', () => {
  hasEnded = true;
});

/** @param {object} question */
function askProbe(question) {
  return new Promise((resolve) => {
    server.once('message', resolve);
    server.send(question);
  });
}

/** @param {string} method @param {string} path @param {unknown} [body] */
async function manage(method, path, body) {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** What somebody does who sets mocks for each of his tests. @param {number} n */
async function manageOnce(n) {
  const { id } = await manage('POST', '/api/mocks/http', {
    request: { path: `/made/${n}` },
    response: { body: `made ${n}` },
  });
  await fetch(`${places.http.url}/made/${n}`).then((answer) => answer.text());
  await manage('PUT', `/api/mocks/http/${id}`, {
    request: { path: `/made/${n}/{x}` },
    response: { status: 204 },
  });
  const { id: topic } = await manage('POST', '/api/mocks/mqtt', {
    topic: `made/${n}/+`,
    response: { payload: 'x', topic: 'y' },
  });
  await manage('POST', '/api/state', { [`key-${n}`]: 'value' });
  await manage('POST', '/api/scenarios/broken/activate');
  const { id: scenario } = await manage('POST', '/api/scenarios', {
    name: `s${n}`,
    patches: [{ mock_id: id, status: 500 }],
  });
  // For a key that no other session asks for: theirs go on meanwhile, and need their answers.
  await manage('POST', '/api/fault/redis', { error: 'LOADING not yet', match: { key: `fault-${n}` } });
  await manage('DELETE', '/api/fault/redis');
  await manage('DELETE', `/api/scenarios/${scenario}`);
  await manage('POST', '/api/scenarios/broken/deactivate');
  await manage('DELETE', `/api/state/key-${n}`);
  await manage('DELETE', `/api/mocks/mqtt/${topic}`);
  await manage('DELETE', `/api/mocks/http/${id}`);
  return true;
}

/** @type {Record<string, { port: number, secure: boolean, url: string }>} */
const places = {};
for (const { protocol, port, tls } of await manage('GET', '/api/protocols'))
  places[protocol] = { port, secure: tls, url: `http://127.0.0.1:${port}` };
if (Object.keys(places).length !== 20) throw new Error('not all twenty kinds are here');

const MEBIBYTE = 1024 * 1024;
/** `data` is the heap without the code that V8 makes of what runs often. @type {{ sessions: number, data: number, external: number }[]} */
const samples = [];
/** Those taken right after a reset. @type {typeof samples} */
const emptied = [];
const CAPTURES = {
  email: '/api/emails',
  ...Object.fromEntries(
    ['mqtt', 'nats', 'amqp', 'kafka', 'stomp'].map((kind) => [kind, `/api/${kind}/messages`]),
  ),
};

function row(/** @type {unknown[]} */ cells) {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** @param {typeof samples} into */
async function sample(into) {
  const held = [];
  for (const path of Object.values(CAPTURES)) held.push((await manage('GET', `${path}?max_body=256`)).length);
  const journal = (await manage('GET', '/api/logs?limit=1000000')).length;
  // What was answered above is garbage by now; the collection comes after it.
  const memory = /** @type {any} */ (await askProbe({}));
  const kinds = await manage('GET', '/api/protocols');
  const open = kinds.reduce(
    (/** @type {number} */ sum, /** @type {any} */ kind) => sum + (kind.connections ?? 0),
    0,
  );
  const minute = (performance.now() - started) / 60_000;
  const [heap, code, external, buffers, rss] = [
    memory.heapUsed,
    memory.code,
    memory.external,
    memory.arrayBuffers,
    memory.rss,
  ].map((bytes) => bytes / MEBIBYTE);
  into.push({ sessions, data: heap - code, external });
  const handles = Object.entries(memory.handles).map(([name, count]) => `${name} ${count}`);
  row([
    minute.toFixed(1),
    sessions,
    failures,
    ...[heap, code, heap - code, external, buffers, rss].map((value) => value.toFixed(1)),
    open,
    journal,
    held.join(' '),
    handles.join(', '),
  ]);
  return kinds;
}

let sessions = 0;
let failures = 0;
/** @type {Map<string, number>} */
const failed = new Map();
const started = performance.now();
const ends = started + minutes * 60_000;
const random = chance(20);
const all = [...makeSessions(places, random), { name: 'management', play: manageOnce }].filter(
  ({ name }) => only?.includes(name.split(' ')[0] ?? '') ?? true,
);
if (all.length === 0) throw new Error(`no sessions are of ${options.only}`);
let isPaused = false;

async function work() {
  while (performance.now() < ends && sessions < MAX_SESSIONS && !hasEnded) {
    if (isPaused) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const n = (sessions += 1);
    const session = all[n % all.length];
    underWay += 1;
    try {
      if ((await session?.play(n)) === false) throw new Error('an answer did not come');
    } catch (error) {
      failures += 1;
      const name = `${session?.name}: ${error instanceof Error ? error.message : String(error)}`;
      failed.set(name, (failed.get(name) ?? 0) + 1);
    } finally {
      underWay -= 1;
    }
  }
}
let underWay = 0;

async function pause() {
  isPaused = true;
  while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

process.stdout
  .write(`A soak of ${minutes} minutes; memory in MB after a collection; the rings hold at most ${MAX_ENTRIES} entries of the
journal, ${MAX_EMAILS} mails, and ${MAX_CAPTURES} messages of each other kind (${Object.keys(CAPTURES).join(', ')}).\n\n`);
row([
  'minute',
  'sessions',
  'failed',
  'heap',
  'code',
  'data',
  'external',
  'buffers',
  'rss',
  'open',
  'journal',
  'captured',
  'handles',
]);
row(['---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---', '---']);
await sample([]);
await fillMemories(places);
await fillRings(places);
await sample([]);
const workers = Promise.all(Array.from({ length: AT_A_TIME }, work));
for (let next = performance.now() + sampleEvery, round = 1; !hasEnded; next += sampleEvery, round += 1) {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(next, ends) - performance.now())));
  await pause();
  await sample(samples);
  // The control: with nothing in the rings and in the stored data only what nobody should hold can have grown.
  if (round % RESET_EVERY === 0) {
    await manage('POST', '/api/reset');
    await sample(emptied);
    if (snapshots !== undefined) await askProbe({ snapshot: join(snapshots, `soak-${round}.heapsnapshot`) });
    await fillRings(places);
  }
  isPaused = false;
  if (performance.now() >= ends) break;
}
await workers;
const kinds = hasEnded ? [] : await manage('GET', '/api/protocols');

process.stdout.write(`\nThe server warned ${warnings} times of what it was sent.\n`);
for (const { protocol, connections } of kinds)
  if (connections > 0) process.stdout.write(`${protocol} still has ${connections} connections.\n`);
for (const [name, count] of failed) process.stdout.write(`${count} times ${name}\n`);
report();
if (!hasEnded) {
  server.kill();
  await new Promise((resolve) => server.once('exit', resolve));
} else process.exitCode = 1;
rmSync(folder, { recursive: true });

/** Whether what is held grows by the sessions once everything that is bounded is full. */
function report() {
  const isFlat = [say('with the rings full', samples), say('after resets', emptied)];
  if (isFlat.includes(false)) process.exitCode = 1;
}

/**
 * Compares the last third with the middle: the first is that in which what a time bounds fills up, such as sessions of
 * MQTT that nobody takes up again, and in which V8 learns what runs often.
 *
 * @param {string} when
 * @param {typeof samples} taken
 */
function say(when, taken) {
  const third = Math.floor(taken.length / 3);
  const [middle, last] = [taken.slice(-2 * third, -third), taken.slice(-third)];
  if (third === 0) {
    process.stdout.write(`${when}: the run was too short to tell.\n`);
    return true;
  }
  const mean = (/** @type {typeof samples} */ part, /** @type {'data' | 'external' | 'sessions'} */ field) =>
    part.reduce((sum, each) => sum + each[field], 0) / part.length;
  const played = mean(last, 'sessions') - mean(middle, 'sessions');
  let isFlat = true;
  for (const field of /** @type {const} */ (['data', 'external'])) {
    const [before, after] = [mean(middle, field), mean(last, field)];
    const rate = ((after - before) / played) * 10_000;
    const isLevel = after - before < MAX_GROWTH && rate < MAX_RATE;
    isFlat &&= isLevel;
    const figures = `${before.toFixed(2)} MB in the middle, ${after.toFixed(2)} at the end, ${played.toFixed(0)} sessions later`;
    const verdict = isLevel ? 'level' : 'growing';
    process.stdout.write(`${when}, ${field}: ${figures}: ${rate.toFixed(3)} for 10,000: ${verdict}\n`);
  }
  return isFlat;
}
