// Asks the redis-server that is installed what it tells of its commands, and writes src/commands/facts/facts.generated.ts.
// To be run by hand, in the folder of the package, when the version of Redis that is followed changes:
//
//   node scripts/write-facts.mjs

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';

const FILE = new URL('../src/commands/facts/facts.generated.ts', import.meta.url);
/** Where Debian keeps the license of the texts. */
const LICENSE = '/usr/share/doc/redis-server/copyright';
const LINE = 200;
/** Not allowed unless the server is configured for it, and unknown to this one. */
const WITHOUT_HELP = new Set(['debug', 'module']);

/** A port that is free now; the bus of a cluster gets one of its own. */
async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server in a folder, and gives what asks it. */
async function start(folder) {
  const [port, bus] = [await freePort(), await freePort()];
  // As a node of a cluster it has the help of CLUSTER too.
  const options = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--save', ''];
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('redis-server has ended')));
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve());
  });
  return {
    ask: (...args) =>
      execFileSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
    async stop() {
      child.removeAllListeners('exit');
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

function byName([one], [other]) {
  return one < other ? -1 : 1;
}

function sortCommands(commands) {
  for (const command of commands) command[9] = sortCommands(command[9]);
  return commands.sort(byName);
}

function sortDocs(docs) {
  for (const command of Object.values(docs))
    if (command.subcommands !== undefined) command.subcommands = sortDocs(command.subcommands);
  return Object.fromEntries(Object.entries(docs).sort(byName));
}

function pack(value) {
  const text = deflateRawSync(JSON.stringify(value), { level: 9 }).toString('base64');
  return text.match(new RegExp(`.{1,${LINE}}`, 'g')).join('\n');
}

/** The license of the texts, from Debian's description of where they come from. */
function readLicense() {
  const text = readFileSync(LICENSE, 'utf8');
  const paragraph = /\nFiles: \*\nCopyright: ([^\n]*(?:\n [^\n]+)*)\nLicense: BSD-3-clause\n/.exec(
    `\n${text}`,
  );
  const terms = /\nLicense: BSD-3-clause\n((?: [^\n]*\n)+)/.exec(text.replace(paragraph[0], '\n'));
  const lines = [`Copyright: ${paragraph[1].trim()}`, '', terms[1]].join('\n').split(/\r?\n/);
  return lines.map((line) => ` * ${line.replace(/^ \.?/, '').trimEnd()}`.trimEnd());
}

const folder = mkdtempSync(path.join(tmpdir(), 'redis-facts-'));
const server = await start(folder);
try {
  const version = /redis_version:(\S+)/.exec(server.ask('INFO', 'server'))[1];
  const commands = sortCommands(JSON.parse(server.ask('--json', 'COMMAND')));
  const docs = sortDocs(JSON.parse(server.ask('--json', 'COMMAND', 'DOCS')));
  const help = {};
  for (const [name, , , , , , , , , subcommands] of commands)
    if (subcommands.length > 0 && !WITHOUT_HELP.has(name))
      // The last two lines, on HELP itself, are the same everywhere, and the first only names the command.
      help[name] = JSON.parse(server.ask('--json', name, 'HELP')).slice(1, -2);
  const constants = { FACTS: commands, DOCS: docs, HELP: help };
  writeFileSync(
    FILE,
    `${[
      `// What redis-server ${version} tells of its commands. Written by scripts/write-facts.mjs; do not edit.`,
      '// Base64 of deflated JSON: the answers to COMMAND, COMMAND DOCS and the HELP of each command that has one.',
      '',
      '/*!',
      ' * The texts in it are from Redis:',
      ' *',
      ...readLicense(),
      ' */',
      ...Object.entries(constants).map(
        ([name, value]) => `\n/** See above. */\nexport const ${name} = \`\n${pack(value)}\n\`;`,
      ),
    ].join('\n')}\n`,
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}
