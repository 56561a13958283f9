import { spawn } from 'node:child_process';

/**
 * @typedef {object} Ended
 * @property {number} code the exit code; 128 and more when a signal ended the command
 * @property {string} output what the command printed, both streams together; `''` when it was not captured
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM']);

for (const signal of SIGNALS) process.on(signal, forward);

/** @param {NodeJS.Signals} signal */
function forward(signal) {
  for (const child of running) child.kill(signal);
  stopForwarding();
  process.kill(process.pid, signal);
}

/** Leaves signals to somebody else, as if this module had never been loaded. */
export function stopForwarding() {
  for (const signal of SIGNALS) process.off(signal, forward);
}

/**
 * Runs a command to its end. A signal that ends this process ends the command too.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv | undefined, capture?: boolean }} [options] `capture` keeps the output for the caller
 * @returns {Promise<Ended>}
 */
export function run(command, args, { cwd, env, capture = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
      // npm, npx and pnpm are batch files on Windows, which only a shell can start.
      shell: process.platform === 'win32' && command !== process.execPath,
    });
    running.add(child);
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 128, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
