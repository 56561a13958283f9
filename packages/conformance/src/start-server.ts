import { spawn } from 'node:child_process';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.js';

/** A server of somebody else that runs beside a test. */
export interface RunningServer {
  /** The port of 127.0.0.1 that it was told to listen on. */
  readonly port: number;
  /** Sends it a signal, such as `SIGSTOP`, with which it answers nothing until `SIGCONT`. */
  signal(name: NodeJS.Signals): void;
  /** Ends it; resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a server as a reference for tests, on a free port; resolves when it says that it is ready.
 *
 * @param command - the program, such as `redis-server`
 * @param args - what it is given, by the port
 * @param ready - a part of what it writes once it answers
 * @param saysSoEarly - it writes that before it takes connections, so that one is tried until it does
 * @throws Error with what it wrote when it ends before that
 */
export async function startServer(
  command: string,
  args: (port: number) => readonly string[],
  ready: string,
  saysSoEarly = false,
): Promise<RunningServer> {
  const port = await freePort();
  const child = spawn(command, args(port), { stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (text: Buffer): void => {
      output += String(text);
      if (output.includes(ready)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${command} ended before it was ready: ${output}`)));
  });
  while (saysSoEarly && !(await takesConnections(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${command} ended before it took connections: ${output}`);
    await wait(10);
  }
  // Nobody reads on; the pipes have to be emptied all the same.
  for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume();
  return {
    port,
    signal: (name) => {
      child.kill(name);
    },
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
