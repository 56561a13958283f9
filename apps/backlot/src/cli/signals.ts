import type { RunningServer } from '../server/start-server.js';
import { note } from './output.js';

/** After so many milliseconds a stop that hangs is cut off. */
const MAX_STOP = 1900;

/** What {@link stopOnSignals} gives. */
export interface StopSwitch {
  /** The server to stop; when a signal has come already, it is stopped at once. */
  setServer(server: RunningServer): void;
}

/** Stops the server on SIGTERM and SIGINT and ends the process with 0; a second signal ends it at once. */
export function stopOnSignals(): StopSwitch {
  let server: RunningServer | undefined;
  let isStopping = false;
  const stop = (): void => {
    if (server === undefined) return;
    setTimeout(() => process.exit(0), MAX_STOP).unref();
    server.stop().then(
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
    stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return {
    setServer(started) {
      server = started;
      if (isStopping) stop();
    },
  };
}

/** From here on an exception that nobody caught is a log line: one broken message must not end all servers. */
export function keepLiving(log: (text: string) => void): void {
  const report = (error: unknown): void =>
    log(`uncaught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}
