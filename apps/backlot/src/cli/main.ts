import type { BacklotError } from '@backlot/core';
import { ConfigError } from '../config/problem.js';
import { fileLimitHint, lowLimitHint } from '../server/file-limit.js';
import { CommandError } from './command-error.js';
import { flush, guardOutput, note, noteText } from './output.js';
import { runProgram } from './program.js';

/** Runs the command line: one line for each thing that is wrong and no stack, and an exit code. */
export async function runMain(args: readonly string[]): Promise<void> {
  guardOutput();
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
    for (const line of error.lines) note(line);
    return 1;
  }
  if (error instanceof CommandError) {
    if (/^Usage:/.test(error.message)) noteText(error.message);
    else note(`error: ${withHint(error.message)}`);
    return error.exitCode;
  }
  // Commander has printed its own message.
  if (isCommanderError(error)) return error.exitCode === 0 ? 0 : 1;
  if (isBacklotError(error)) {
    const details = (error.details ?? []).map(
      ({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`,
    );
    note(`error: ${withHint([error.message, ...details].join('; '))}`);
    return 1;
  }
  note(`error: ${withHint(error instanceof Error ? error.message : String(error))}`);
  if (process.env['BACKLOT_DEBUG'] !== undefined && error instanceof Error) noteText(error.stack ?? '');
  return 1;
}

/** A message, with what helps when the system gives no more files. */
function withHint(message: string): string {
  const line = message.replaceAll(/\s*\n\s*/g, ' ');
  const isLoading = /cannot find|cannot be loaded|not installed|not there/i.test(line);
  const hint = fileLimitHint(line) ?? (isLoading ? lowLimitHint() : undefined);
  return hint === undefined || line.includes('ulimit') ? line : `${line}; ${hint}`;
}

// By name: importing core for this would cost every command that only talks to a server its start-up time.
function isBacklotError(error: unknown): error is BacklotError {
  return error instanceof Error && error.name === 'BacklotError';
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}
