import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { watchForStandstill } from '../presets/standstill.mjs';

const LIMIT = 1000;
/** Works for longer than the limit, whatever else runs on the machine. */
const WORK = 'for (const end = process.cpuUsage().user + 1_600_000; process.cpuUsage().user < end;);';

/**
 * @param {Promise<unknown>} promise
 * @returns {Promise<string>} what the watch says while the promise is pending
 */
function watch(promise) {
  return new Promise((resolve) => {
    const stop = watchForStandstill(LIMIT, resolve);
    void promise.finally(() => {
      stop();
      resolve('it has ended');
    });
  });
}

async function work() {
  const end = process.cpuUsage().user + 1_600_000;
  while (process.cpuUsage().user < end) await new Promise((resolve) => setImmediate(resolve));
}

it('a test that nothing moves in is told by it', async () => {
  expect(await watch(new Promise(() => undefined))).toMatch(/^nothing has moved for 1 s: /);
});

it('one that works takes the time it takes', async () => {
  expect(await watch(work())).toBe('it has ended');
});

it('one whose program works does so as well', async () => {
  const ended = new Promise((resolve) => void execFile(process.execPath, ['-e', WORK], resolve));
  expect(await watch(ended)).toBe('it has ended');
});

it('one that waits for a program that waits does not', async () => {
  const child = execFile(process.execPath, ['-e', 'process.stdin.resume()']);
  const ended = new Promise((resolve) => void child.once('close', resolve));
  expect(await watch(ended)).toMatch(/^nothing has moved/);
  child.kill();
  await ended;
});

it('one that waits for a program that only has timers does not either', async () => {
  // Half a per cent of a processor, which the system counts as ten milliseconds now and then.
  const beat =
    'setInterval(() => { for (const end = process.cpuUsage().user + 500; process.cpuUsage().user < end;); }, 100)';
  const child = execFile(process.execPath, ['-e', beat]);
  const ended = new Promise((resolve) => void child.once('close', resolve));
  const problem = await new Promise((resolve) => watchForStandstill(4000, resolve));
  expect(problem).toMatch(/^nothing has moved/);
  child.kill();
  await ended;
});

it('what turns in circles comes to its end', async () => {
  let isOver = false;
  const turn = () => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  const problem = await new Promise((resolve) => watchForStandstill(10_000, resolve, 200));
  isOver = true;
  expect(problem).toMatch(/^still running after/);
});
