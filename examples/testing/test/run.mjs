import { spawn } from 'node:child_process';

/**
 * Runs a program without colours, and resolves when it has ended.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [more] - environment variables
 * @returns {Promise<{ code: number | null, output: string }>}
 */
export function run(program, args, more = {}) {
  const { FORCE_COLOR: _, ...env } = process.env;
  const child = spawn(program, args, { env: { ...env, NO_COLOR: '1', ...more } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
