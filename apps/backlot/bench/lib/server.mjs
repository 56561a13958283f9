import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/backlot.js', import.meta.url));
const FREE_PORTS = ['--api-port=0', '--http-port=0', '--tcp-port=0', '--dns-port=0'];

/**
 * Starts the command on free ports, and resolves once it is ready.
 *
 * @param {string[]} args
 * @param {string} folder
 */
export async function startServer(args, folder) {
  const started = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'start', ...FREE_PORTS, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
