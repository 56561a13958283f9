#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

// From Node.js 22.8 on, compiled code is kept in the folder for temporary files; `NODE_DISABLE_COMPILE_CACHE=1` says no.
module.enableCompileCache?.();

// The first process of a container has no default for signals: without a handler they are ignored, also while all is loaded.
if (process.pid === 1) for (const name of ['SIGTERM', 'SIGINT']) process.on(name, endUnlessHandled);

try {
  await import('../dist/main.js');
} catch (error) {
  // Nothing else can say so: it would have to be read from a file first.
  if (!isForWantOfFiles(error)) throw error;
  const message = String(error.message).replaceAll(/\s*\n\s*/g, ' ');
  const what = /too many open files/i.test(message) ? message : `${message}: too many open files`;
  console.error(`error: ${what}; raise the limit of open files before the start, as in "ulimit -n 65536"`);
  process.exitCode = 1;
}

/** What the signal does to any other process, until a command handles it itself. */
function endUnlessHandled(name, number) {
  if (process.listenerCount(name) === 1) process.exit(128 + number);
}

/**
 * Node.js says that a package is missing when it could not open its files, so that is believed only where enough could
 * be opened.
 */
function isForWantOfFiles({ code }) {
  if (code === 'EMFILE' || code === 'ENFILE') return true;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND' && code !== 'ERR_INVALID_PACKAGE_CONFIG')
    return false;
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(limit) < 150;
  } catch ({ code: reason }) {
    return reason === 'EMFILE' || reason === 'ENFILE';
  }
}
