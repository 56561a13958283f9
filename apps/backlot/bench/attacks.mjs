// Plays attacks against the real server with every installed kind, and prints how long each made its event loop stand still
// and how much memory it took. Run by `pnpm bench attacks [package...] [--only=text]`: only attacks whose names contain the text.
//
// Only what the thread of the event loop did itself counts as processor time. Each attack begins after a collection, and where the
// one before has left much, which the system may have got back or not, with a server of its own: so its peak is its own. What was
// held then stands beside it.
//
// A package brings its own in `bench/attacks.mjs`, which exports `attacks`, a list of `{ name, run(port, apiPort) }`, each
// bounded in count and time, and perhaps `settings`, what its kind is configured with. The port is the kind's, and for a
// package that is no kind the management port. `further` are more of both, played against servers of their own.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startAttackedServer } from './lib/attacked-server.mjs';
import { timeCommand } from './lib/time-command.mjs';

const MAX_STALL = 50;
const MAX_MEMORY = 400;
/** Megabytes more than at the first attack that the one before may have left, pages that the engine gives back late among them. */
const MAX_LEFT = 20;
/** Milliseconds of a processor for a command that reads a very large file. */
const MAX_READ = 2_000;
/** Milliseconds after which an attack counts as one that never ends. */
const MAX_TIME = 90_000;
const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url));

const { values: given, positionals: wanted } = parseArgs({
  options: { only: { type: 'string', default: '' } },
  allowPositionals: true,
});
const folders = [PACKAGES, join(PACKAGES, 'protocols')].flatMap((parent) =>
  readdirSync(parent)
    .sort()
    .map((name) => ({ name, dir: join(parent, name) })),
);
const packages = folders
  .filter(({ dir }) => existsSync(join(dir, 'package.json')))
  .map(({ name, dir }) => ({
    name,
    kind: JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).backlot?.protocol,
    file: join(dir, 'bench', 'attacks.mjs'),
  }));
const chosen = packages.filter(
  ({ name, file }) => existsSync(file) && (wanted.length === 0 || wanted.includes(name)),
);
const folder = mkdtempSync(join(tmpdir(), 'backlot-attacks-'));
const worst = { stall: 0, processor: 0, memory: 0 };
/** Attacks that did not come to their end. */
let failed = 0;

/** @param {{ kind: string | undefined }} attacked @param {object} settings */
function configure({ kind }, settings) {
  const kinds = packages.flatMap((one) => (one.kind === undefined ? [] : [one.kind]));
  const blocks = kinds.map((one) => [one, { port: 0, ...(one === kind ? settings : {}) }]);
  const file = join(folder, 'backlot.json');
  writeFileSync(file, JSON.stringify({ api: { port: 0 }, protocols: Object.fromEntries(blocks) }));
  return file;
}

/** @param {Awaited<ReturnType<typeof startAttackedServer>>} server */
async function play(server, attack, port) {
  let timer;
  const tooLong = new Promise((resolve) => (timer = setTimeout(() => resolve('never ended'), MAX_TIME)));
  try {
    return await Promise.race([attack.run(port, server.ports.get('api')).then(() => ''), tooLong]);
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

async function isAlive(server) {
  if (server.hasEnded()) return false;
  try {
    const signal = AbortSignal.timeout(10_000);
    const url = `http://127.0.0.1:${server.ports.get('api')}`;
    await (await fetch(`${url}/api/reset`, { method: 'POST', signal })).text();
    return true;
  } catch {
    return false;
  }
}

process.stdout.write(
  '| attack | longest stall | most processor time in one | peak memory | held before | live after | |\n|---|---:|---:|---:|---:|---:|---|\n',
);
for (const each of chosen) {
  const { attacks, settings, further = [] } = await import(pathToFileURL(each.file).href);
  for (const group of [{ attacks, settings }, ...further]) await playAll(each, group);
}
if (wanted.length === 0 && 'a file of 200,000 keys'.includes(given.only)) await readLargeFile();
rmSync(folder, { recursive: true });

/** Lets commands read files of YAML and JSON with very many keys, right and wrong ones, and prints what they took of a processor. */
async function readLargeFile() {
  process.stdout.write(
    '\n| command with a file of 200,000 keys | processor time | by the clock |\n|---|---:|---:|\n',
  );
  for (const [form, name, text] of largeFiles()) {
    const file = join(folder, `large.${form}`);
    writeFileSync(file, text);
    for (const args of [
      ['validate', file],
      ['start', '-c', file],
    ]) {
      const { processor, clock } = await timeCommand(args, /^ready /m, name.startsWith('right') ? 0 : 1);
      const isSlow = processor > MAX_READ;
      if (isSlow) process.exitCode = 1;
      process.stdout.write(
        `| ${args[0]}: ${form}, ${name} | ${processor.toFixed(0)} ms | ${clock.toFixed(0)} ms |${isSlow ? ` above ${MAX_READ} ms` : ''}\n`,
      );
    }
  }
}

/** @returns {Generator<[form: string, name: string, text: string]>} */
function* largeFiles() {
  const keys = Array.from({ length: 200_000 }, (_, n) => `  key-${n}: value ${n}`);
  for (const [name, lines] of [
    ['right', keys],
    ['a key twice', keys.with(150_000, '  key-7: again')],
    ['a quote without an end', keys.with(150_000, '  key: "value')],
    ['a key too far to the right', keys.with(150_000, '   key: value')],
    ['right, a value missing', keys.with(150_000, '  key:')],
  ])
    yield ['yaml', name, `api: { port: 0 }\nprotocols: { tcp: { port: 0 } }\nstate:\n${lines.join('\n')}\n`];
  const members = Array.from({ length: 200_000 }, (_, n) => `    "key-${n}": "value ${n}"`);
  for (const [name, lines] of [
    ['right', members],
    ['a key twice', members.with(150_000, '    "key-7": "again"')],
    ['a comma missing', members.with(150_000, '    "key-150000": "value"\n    "key": "value"')],
    ['a quote without an end', members.with(150_000, '    "key": "value')],
    ['right, a value missing', members.with(150_000, '    "key":')],
  ])
    yield [
      'json',
      name,
      `{\n  "api": { "port": 0 },\n  "protocols": { "tcp": { "port": 0 } },\n  "state": {\n${lines.join(',\n')}\n  }\n}\n`,
    ];
}

/** Plays what is chosen of some attacks against a server of their own. */
async function playAll(each, { attacks: all, settings = {} }) {
  const attacks = all.filter(({ name }) => name.includes(given.only));
  if (attacks.length === 0) return;
  const file = configure(each, settings);
  let server = await startAttackedServer(file);
  let first = NaN;
  for (const attack of attacks) {
    let before = await server.begin();
    if (Number.isNaN(first)) first = before;
    if (before > first + MAX_LEFT) {
      await server.stop();
      server = await startAttackedServer(file);
      before = await server.begin();
    }
    const outcome = await play(server, attack, server.ports.get(each.kind ?? 'api'));
    // What an attack left to be done, such as closing connections, is part of it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { stall, processor, memory, live } = await server.measure();
    worst.stall = Math.max(worst.stall, stall);
    worst.processor = Math.max(worst.processor, processor);
    worst.memory = Math.max(worst.memory, memory);
    const sizes = [memory, before, live].map((size) => `${size.toFixed(0)} MB`).join(' | ');
    const numbers = `${stall.toFixed(0)} ms | ${processor.toFixed(0)} ms | ${sizes}`;
    if (outcome !== '') failed += 1;
    const isThere = outcome !== 'never ended' && (await isAlive(server));
    const notes = [outcome, isThere ? '' : 'the server was started anew'].filter(Boolean).join('; ');
    process.stdout.write(`| ${each.name}: ${attack.name.replaceAll('|', '\\|')} | ${numbers} | ${notes} |\n`);
    if (!isThere) {
      process.exitCode = 1;
      await server.stop();
      server = await startAttackedServer(file);
    }
  }
  await server.stop();
}
process.stdout.write(
  `\nThe worst: ${worst.stall.toFixed(0)} ms of standing still, ${worst.processor.toFixed(0)} ms at work (aim ${MAX_STALL}), ${worst.memory.toFixed(0)} MB (aim ${MAX_MEMORY}), ${failed} attacks failed\n`,
);
if (failed > 0 || worst.processor > MAX_STALL || worst.memory > MAX_MEMORY) process.exitCode = 1;
