import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Host } from '../src/index.js';
import { StallWatch, stalls, type Stall } from '../src/time/clock-stalls.js';
import { message, startProbe } from './support.js';

/** Clocks and counters of the process that tests turn by hand. */
let now = 1000;
let processor = 0;
let switches = 0;
let beat: () => void;

beforeEach(() => {
  // The watch of the process knows when it last told of a stall: time goes on between tests.
  now += 100_000;
  processor = 0;
  switches = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  jest
    .spyOn(process, 'resourceUsage')
    .mockImplementation(
      () =>
        ({ userCPUTime: processor * 1000, systemCPUTime: 0, involuntaryContextSwitches: switches }) as never,
    );
  jest.spyOn(globalThis, 'setInterval').mockImplementation(((callback: () => void) => {
    beat = callback;
    return { unref: () => undefined };
  }) as never);
  jest.spyOn(globalThis, 'clearInterval').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Lets time pass in which the process works. */
function work(milliseconds: number): void {
  now += milliseconds;
  processor += milliseconds;
}

describe('StallWatch', () => {
  function watch(): { readonly watch: StallWatch; readonly told: Stall[] } {
    const told: Stall[] = [];
    const made = new StallWatch();
    made.listen((stall) => told.push(stall) > 0);
    return { watch: made, told };
  }

  it('does not tell of work that was meant to take long', () => {
    const { watch: made, told } = watch();
    work(500);
    made.excuse();
    beat();
    expect(told).toEqual([]);
    work(500);
    beat();
    expect(told).toHaveLength(1);
  });

  it('tells of measured work that took more than 200 ms, once', () => {
    const { watch: made, told } = watch();
    const began = now;
    work(200);
    made.ended(began, { what: 'short' });
    work(50);
    made.ended(began, { what: 'long', remote: 'a:1' });
    expect(told).toEqual([{ began, duration: 250, what: 'long', remote: 'a:1' }]);
    // The beat that comes late for the same reason is no news.
    beat();
    expect(told).toHaveLength(1);
  });

  it('tells of work that nobody measured by a beat that comes late', () => {
    const { told } = watch();
    work(100);
    beat();
    work(290);
    beat();
    expect(told).toEqual([]);
    work(500);
    beat();
    expect(told).toEqual([{ began: now - 500, duration: 400 }]);
  });

  it('says nothing of time in which others had the processor, but does of waiting in the work itself', () => {
    const { watch: made, told } = watch();
    now += 500;
    switches += 30;
    beat();
    now += 500;
    switches += 30;
    made.ended(now - 500, { what: 'starved' });
    expect(told).toEqual([]);
    beat();
    now += 500;
    beat();
    expect(told).toHaveLength(1);
  });

  it('asks its listeners in turn until one takes it, and stops with the last', () => {
    const made = new StallWatch();
    const asked: string[] = [];
    const first = made.listen(() => asked.push('first') < 0);
    const second = made.listen(() => asked.push('second') > 0);
    const third = made.listen(() => asked.push('third') > 0);
    work(300);
    made.ended(now - 300, {});
    expect(asked).toEqual(['first', 'second']);
    first();
    second();
    third();
    expect(clearInterval).toHaveBeenCalledTimes(1);
    work(300);
    made.ended(now - 300, {});
    expect(asked).toHaveLength(2);
  });

  it('is one for all copies of the package in a process', () => {
    expect((globalThis as never as Record<symbol, unknown>)[Symbol.for('backlot.stalls')]).toBe(stalls);
  });
});

describe('a host', () => {
  let host: Host;
  let lines: string[];
  let started: Awaited<ReturnType<typeof startProbe>>;
  beforeEach(async () => {
    lines = [];
    started = await startProbe(
      { mocks: [{ id: 'm', match: 'x' }] },
      { log: ({ level, kind, text }) => lines.push(`${level} ${kind}: ${text}`), watchEventLoop: true },
    );
    ({ host } = started);
  });
  afterEach(() => host.stop(0));

  async function stall(about: Parameters<StallWatch['ended']>[1], path?: string): Promise<void> {
    const began = now;
    if (path !== undefined) await started.ask(path);
    work(412);
    stalls.ended(began, about);
  }

  it('names the kind by its port, the connection, the message and the mock', async () => {
    await stall({ remote: '127.0.0.1:53412', port: 1 }, 'x');
    expect(lines).toEqual([
      'warn probe: the connection 127.0.0.1:53412 held the event loop for 412 ms (last message: ASK x, mock m)',
    ]);
    expect(host.kind('probe').status()['stalls']).toBe(1);
    host.reset();
    expect(host.kind('probe').status()).not.toHaveProperty('stalls');
  });

  it('names no message that is older than the stall', async () => {
    await started.ask('x');
    work(10);
    await stall({ remote: '127.0.0.1:53412', port: 1 });
    expect(lines).toEqual(['warn probe: the connection 127.0.0.1:53412 held the event loop for 412 ms']);
  });

  it('names what is no connection of a kind by what it was', async () => {
    await stall({ what: 'POST /api/mocks/http', remote: '127.0.0.1:9' });
    expect(lines).toEqual([
      'warn backlot: POST /api/mocks/http from 127.0.0.1:9 held the event loop for 412 ms',
    ]);
  });

  it('names the kind of work that nobody measured when a message came in it, else none', async () => {
    started.probe.context().receive(message('x\u001b[2J')).done();
    work(100);
    work(300);
    beat();
    expect(lines).toEqual([
      'warn probe: work of no known connection held the event loop for 300 ms (last message: ASK x?[2J from 127.0.0.1:1)',
    ]);
    work(2000);
    beat();
    work(500);
    beat();
    expect(lines[1]).toBe('warn backlot: work of no known connection held the event loop for 1900 ms');
  });

  it('says nothing unless it was asked to watch', async () => {
    await host.stop(0);
    started = await startProbe({}, { log: ({ text }) => lines.push(text) });
    ({ host } = started);
    await stall({ remote: '127.0.0.1:53412', port: 1 }, 'x');
    expect(lines).toEqual([]);
  });

  it('leaves the connections of other servers to them, and takes those of a port that nobody knows', async () => {
    const others: Stall[] = [];
    const stop = stalls.listen(({ port }) => port === 2 && others.push({ began: 0, duration: 0 }) > 0);
    await stall({ remote: '127.0.0.1:9', port: 2 });
    expect([lines, others.length]).toEqual([[], 1]);
    stop();
    // A further port of a kind, as for data.
    await stall({ remote: '127.0.0.1:9', port: 3 }, 'x');
    expect(lines).toEqual([
      'warn probe: the connection 127.0.0.1:9 held the event loop for 412 ms (last message: ASK x, mock m)',
    ]);
  });

  it('writes a line a second and counts the others', async () => {
    for (let count = 0; count < 3; count += 1) await stall({ remote: 'a:1', port: 1 });
    expect(lines).toHaveLength(1);
    work(2000);
    await stall({ remote: 'a:1', port: 1 });
    expect(lines[1]).toMatch(/so did 2 more since the last such line$/);
    expect(host.kind('probe').status()['stalls']).toBe(4);
  });

  it('is told nothing any more when it has stopped', async () => {
    await host.stop(0);
    await stall({ remote: 'a:1', port: 1 });
    expect(lines).toEqual([]);
  });
});
