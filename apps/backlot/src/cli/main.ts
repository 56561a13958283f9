import type { BacklotError } from '@backlot/core';
import { ConfigError } from '../config/problem.js';
import { CommandError } from './command-error.js';
import { flush, note } from './output.js';
import { runProgram } from './program.js';

/** Runs the command line: one line for each thing that is wrong and no stack, and an exit code. */
export async function runMain(args: readonly string[]): Promise<void> {
  // A reader that has seen enough, such as `head`, closes the pipe: not an error.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    await runProgram(args);
  } catch (error) {
    const code = report(error);
    await flush();
    process.exit(code);
  }
}

function report(error: unknown): number {
  if (error instanceof ConfigError) {
    note(error.message);
    return 1;
  }
  if (error instanceof CommandError) {
    note(/^Usage:/.test(error.message) ? error.message : `error: ${error.message}`);
    return error.exitCode;
  }
  // Commander has printed its own message.
  if (isCommanderError(error)) return error.exitCode === 0 ? 0 : 1;
  if (isBacklotError(error)) {
    const details = (error.details ?? []).map(
      ({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`,
    );
    note(`error: ${[error.message, ...details].join('; ')}`);
    return 1;
  }
  note(`error: ${error instanceof Error ? error.message : String(error)}`);
  if (process.env['BACKLOT_DEBUG'] !== undefined && error instanceof Error) note(error.stack ?? '');
  return 1;
}

// By name: importing core for this would cost every command that only talks to a server its start-up time.
function isBacklotError(error: unknown): error is BacklotError {
  return error instanceof Error && error.name === 'BacklotError';
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}
