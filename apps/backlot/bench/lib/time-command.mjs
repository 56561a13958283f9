import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/backlot.js', import.meta.url));
const JIFFY_MS = 10;

/**
 * Runs the command until it has ended, or has printed what it prints when it is ready: it is ended then.
 *
 * @param {readonly string[]} args
 * @param {RegExp} ready
 * @param {number} [expected] the exit code that it ends with by itself
 * @returns {Promise<{ processor: number, clock: number }>} milliseconds until then, of processors and by the clock
 */
export function timeCommand(args, ready, expected = 0) {
  const began = performance.now();
  // Of a file that is wrong standard error says so.
  const errors = expected === 0 ? 'inherit' : 'ignore';
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', errors] });
  const ended = () => sumOf('self', [13, 14]);
  const before = ended();
  return new Promise((resolve, reject) => {
    let output = '';
    let taken;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (taken !== undefined || !ready.test(output)) return;
      taken = { processor: sumOf(String(child.pid), [11, 12]), clock: performance.now() - began };
      child.kill('SIGTERM');
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === expected)
        resolve(taken ?? { processor: ended() - before, clock: performance.now() - began });
      else reject(new Error(`${args.join(' ')} ended with ${code}: ${output}`));
    });
  });
}

/** @param {string} id @param {readonly number[]} fields of what stands behind the name of a process */
function sumOf(id, fields) {
  const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  const all = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(all[field]), 0) * JIFFY_MS;
}
