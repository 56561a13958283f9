import { closeSync, openSync } from 'node:fs';
import type { RunningServer } from '../server/start-server.js';
import { note } from './output.js';
import { createSignalWatch } from './signal-watch.js';

/** After so many milliseconds a stop that hangs is cut off. */
const MAX_STOP = 1900;
/** How often it is looked whether the event loop comes round, in milliseconds, and how late it may be. */
const BEAT = 500;

/** What {@link stopOnSignals} gives. */
export interface StopSwitch {
  /** Resolves when signals are seen whatever other code does. */
  readonly ready: Promise<void>;
  /** The server to stop; when a signal has come already, it is stopped at once. */
  setServer(server: Pick<RunningServer, 'stop'>): void;
  /** What SIGHUP does from now on, which stops the server before; when the terminal has gone it still stops it. */
  setReload(reload: () => void): void;
}

/**
 * Stops the server on SIGTERM and SIGINT and ends the process with 0, in less than two seconds also while it still starts; a
 * second signal ends it at once. A process whose event loop is held for ever is killed.
 *
 * @param hasForeignCode - whether code runs that is not Backlot's own, and may hold the event loop: it is watched from the
 * beginning then, and otherwise from the first time that something has held it for long
 */
export function stopOnSignals(hasForeignCode: boolean): StopSwitch {
  const watch = createSignalWatch();
  // Until the thread is up it sees nothing, and a message may come as soon as the server listens.
  const ready = hasForeignCode ? watch.start() : Promise.resolve();
  let server: Pick<RunningServer, 'stop'> | undefined;
  let isStopping = false;
  const stop = (): void => {
    server?.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        note(`error: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  };
  const onSignal = (): void => {
    if (isStopping) process.exit(0);
    isStopping = true;
    watch.stopping();
    setTimeout(() => process.exit(0), MAX_STOP).unref();
    stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  let reload: (() => void) | undefined;
  const hasTerminal = process.stdout.isTTY;
  // Windows sends it when the window is closed, and ends the process soon after.
  if (process.platform !== 'win32')
    process.on('SIGHUP', () => {
      if (reload === undefined || (hasTerminal && !isTerminalThere())) onSignal();
      else reload();
    });
  return {
    ready,
    setReload(then) {
      reload = then;
    },
    setServer(started) {
      server = started;
      if (isStopping) stop();
      else if (!hasForeignCode) afterStall(() => void watch.start());
    },
  };
}

/** Whether the terminal of this process is there: the signal comes as well when it was closed. */
function isTerminalThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Calls back once, when the event loop has been held for long and is free again. */
function afterStall(then: () => void): void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const isLate = now - last > 2 * BEAT;
    last = now;
    if (!isLate) return;
    clearInterval(timer);
    then();
  }, BEAT);
  timer.unref();
}

/** From here on an exception that nobody caught is a log line: one broken message must not end all servers. */
export function keepLiving(log: (text: string) => void): void {
  const report = (error: unknown): void =>
    log(`uncaught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}
