#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

/** Runs jest in the folder of a package. `--inspect` and `--inspect-brk` are for Node, everything else is for jest. */
const args = process.argv.slice(2);
const inspect = args.filter((arg) => /^--inspect\b/.test(arg));
const others = args.filter((arg) => !inspect.includes(arg));

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const child = spawn(
  process.execPath,
  [...inspect, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...others],
  { stdio: 'inherit' },
);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => child.kill(signal));
}
child.on('exit', (code, signal) =>
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
);
