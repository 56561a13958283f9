import { Worker } from 'node:worker_threads';

/** After so many milliseconds a thread looks whether the stop goes on, and then every {@link LOOK_MS}. */
const FIRST_LOOK = 1600;
/** The event loop must turn once in so many milliseconds while it stops. */
const LOOK_MS = 350;
const BEAT_MS = 50;
/** How long the last line may take to be written, in milliseconds. */
const LAST_WORD_MS = 30;

/** What the thread runs. Its text goes along because a file would have to be found and read, which costs more than all the rest. */
const THREAD = `
process.noDeprecation = true;
const { Signal } = process.binding('signal_wrap');
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
}`;

/** Ends this process when it cannot do so itself. */
export interface SignalWatch {
  /** Begins to watch for SIGTERM and SIGINT, beside the handlers of this thread; once. */
  start(): void;
  /** To be called in the handler of a signal: shows the thread that the event loop turns. */
  stopping(): void;
}

/**
 * A thread that sees SIGTERM and SIGINT also while something holds the event loop for ever: a process whose loop does not turn
 * when it should stop is killed within two seconds. Where Node.js does not let a thread see signals, there is none.
 */
export function createSignalWatch(): SignalWatch {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | undefined;
  return {
    start() {
      if (thread !== undefined) return;
      thread = new Worker(THREAD, { eval: true, workerData: beats.buffer, execArgv: [], env: {} });
      thread.on('error', () => undefined);
      thread.unref();
    },
    stopping() {
      setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
    },
  };
}
