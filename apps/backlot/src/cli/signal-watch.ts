import { Worker } from 'node:worker_threads';

/** After so many milliseconds a thread looks whether the stop goes on, and then every {@link LOOK_MS}. */
const FIRST_LOOK = 1400;
/** The event loop must turn once in so many milliseconds while it stops. */
const LOOK_MS = 350;
const BEAT_MS = 50;
/** How long the last line may take to be written, in milliseconds: all together stay below two seconds, also where nobody reads it. */
const LAST_WORD_MS = 200;

/** What the thread runs. Its text goes along because a file would have to be found and read, which costs more than all the rest. */
const THREAD = `
process.noDeprecation = true;
const own = () => require('internal/test/binding').internalBinding('signal_wrap');
const { Signal } = (() => { try { return process.binding('signal_wrap'); } catch { return own(); } })();
const { write } = require('node:fs');
const { signals } = require('node:os').constants;
const beats = new Int32Array(require('node:worker_threads').workerData);
const kill = () => process.kill(process.pid, 'SIGKILL');
let seen;
const look = () => {
  const now = Atomics.load(beats, 0);
  if (now === seen) {
    setTimeout(kill, ${LAST_WORD_MS});
    return write(2, 'error: killed, since something holds the event loop and nothing can be stopped\\n', kill);
  }
  seen = now;
  setTimeout(look, ${LOOK_MS});
};
let isAsked = false;
for (const name of ['SIGTERM', 'SIGINT']) {
  const signal = new Signal();
  signal.onsignal = () => {
    if (!isAsked) setTimeout(look, ${FIRST_LOOK});
    isAsked = true;
  };
  signal.start(signals[name]);
}
require('node:worker_threads').parentPort.postMessage('watching');`;

/**
 * Node.js 24 has the class behind signals for its own modules only, which the thread may use with the first of these; the
 * other keeps it from warning of that. Both hold for the thread alone.
 */
const FLAGS = ['--expose-internals', '--no-warnings'];

/** Ends this process when it cannot do so itself. */
export interface SignalWatch {
  /**
   * Begins to watch for SIGTERM and SIGINT, beside the handlers of this thread; once. Resolves when the thread sees
   * signals, or when there can be none.
   */
  start(): Promise<void>;
  /** To be called in the handler of a signal: shows the thread that the event loop turns. */
  stopping(): void;
}

/**
 * A thread that sees SIGTERM and SIGINT also while something holds the event loop for ever: a process whose loop does not turn
 * when it should stop is killed within two seconds. Where Node.js does not let a thread see signals, there is none.
 */
export function createSignalWatch(): SignalWatch {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  let started: Promise<void> | undefined;
  return {
    start: () => (started ??= startThread(beats)),
    stopping() {
      setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
    },
  };
}

function startThread(beats: Int32Array): Promise<void> {
  return new Promise((resolve) => {
    let thread: Worker;
    try {
      thread = new Worker(THREAD, { eval: true, workerData: beats.buffer, execArgv: FLAGS, env: {} });
    } catch {
      // The flags are not public, and a Node.js that does not know them gives no thread.
      resolve();
      return;
    }
    const settle = (): void => {
      // Once it watches, it keeps nothing running.
      thread.unref();
      resolve();
    };
    thread.once('message', settle);
    thread.once('exit', settle);
    thread.on('error', settle);
  });
}
