import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/backlot.js', import.meta.url));
const METER = new URL('./loop-meter.mjs', import.meta.url).href;
const SAMPLE = 20;

/**
 * Starts the command in a process of its own, and measures it.
 *
 * @param {string} file the configuration
 */
export async function startAttackedServer(file) {
  const child = spawn(process.execPath, ['--expose-gc', '--import', METER, COMMAND, 'start', '-c', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  let log = '';
  let ended = false;
  const end = new Promise((resolve) => child.once('exit', resolve)).then(() => (ended = true));
  child.stderr.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-4000)));
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready: ${log}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/^ready .*\n/m.test(output)) resolve(undefined);
    });
  });
  const line = /^ready (.*)$/m.exec(output)?.[1] ?? '';
  const ports = new Map(
    line.split(' ').map((pair) => {
      const [kind = '', url = ''] = pair.split(/=(.*)/s);
      return [kind, Number(/:(\d+)(?:\/|$)/.exec(url)?.[1])];
    }),
  );
  let peak = 0;
  const sampler = setInterval(() => (peak = Math.max(peak, memory())), SAMPLE);

  function memory() {
    try {
      return (
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
      );
    } catch {
      return 0;
    }
  }

  function ask(/** @type {string} */ what) {
    const answer = new Promise((resolve) => child.once('message', resolve));
    if (!ended) child.send(what);
    return Promise.race([answer, end.then(() => undefined)]);
  }

  return {
    ports,
    hasEnded: () => ended,
    log: () => log,
    /** Begins to measure, after a collection; gives the memory that is held then, in megabytes. */
    async begin() {
      await ask('collect');
      // Pages are given back a little later than the collection ends.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await ask('');
      peak = memory();
      return peak;
    },
    /**
     * The longest time that the event loop stood still since it was last asked for, the peak of memory, and what is held now by
     * objects and buffers when all else has been collected; in milliseconds and megabytes.
     */
    async measure() {
      const told = await ask('');
      const most = Math.max(peak, memory());
      const held = await ask('collect');
      return {
        stall: told?.stall ?? NaN,
        processor: told?.processor ?? NaN,
        memory: most,
        live: held?.live ?? NaN,
      };
    },
    async stop() {
      clearInterval(sampler);
      child.kill('SIGTERM');
      // The server may be the victim of the attack that was played.
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await end;
      clearTimeout(timer);
    },
  };
}
