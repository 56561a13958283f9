import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/backlot.js', import.meta.url));
const FREE_PORTS = ['--api-port=0', '--http-port=0', '--tcp-port=0', '--dns-port=0', '--grpc-port=0'];

const BARE = "require('node:http').createServer().listen(0, () => console.log('ready '))";

/**
 * Starts the command on free ports, and resolves once it is ready.
 *
 * @param {string[]} args
 * @param {string} folder
 */
export function startServer(args, folder) {
  return startProcess([COMMAND, 'start', ...FREE_PORTS, ...args], folder);
}

/**
 * Starts a server of node:http that answers nothing: what there is to compare with.
 *
 * @param {string} folder
 */
export function startBare(folder) {
  return startProcess(['-e', BARE], folder);
}

/**
 * @param {string[]} args
 * @param {string} folder
 */
async function startProcess(args, folder) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/^ready .*\n/m.test(output)) resolve(undefined);
    });
  });
  const ready = performance.now() - started;
  const line = /^ready (.*)$/m.exec(output)?.[1] ?? '';
  return {
    /** Milliseconds until the last line. */
    ready,
    urls: Object.fromEntries(line.split(' ').map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
    /** Milliseconds of the processor so far, in all threads. */
    processor: () => processorOf(child.pid),
    /** The same of each process that it has started. */
    processorsOfChildren() {
      const started = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
      return started === '' ? [] : started.split(' ').map(processorOf);
    },
    /** Megabytes of resident memory. */
    memory() {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
    },
    async stop() {
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** @param {number | string | undefined} pid */
function processorOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
