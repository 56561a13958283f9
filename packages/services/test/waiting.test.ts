import { expect, it } from '@jest/globals';
import { startBacklot } from '@backlot/testing';
import { http } from '@backlot/http';

/** What `@backlot/services/waiting` has. */
interface Waiting {
  makeBell(): { ring(): void };
  waitFor(bell: object, options: object): Promise<unknown>;
}

interface Context {
  readonly clock: { wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> };
}

it('a wait for the clock that something else was quicker than is given up', async () => {
  const path = '../waiting/index.mjs';
  const { makeBell, waitFor } = (await import(path)) as Waiting;
  const waits: Promise<boolean>[] = [];
  const backlot = await startBacklot({ protocols: [http] });
  try {
    const bell = makeBell();
    backlot.http.mock({
      request: { path: '/' },
      async respond(_request: unknown, { clock }: Context) {
        const kept = {
          wait(milliseconds: number, signal?: AbortSignal) {
            const waiting = clock.wait(milliseconds, signal);
            waits.push(waiting);
            return waiting;
          },
        };
        setImmediate(() => bell.ring());
        return { body: String(await waitFor(bell, { clock: kept, milliseconds: 3_600_000 })) };
      },
    });
    expect(await (await fetch(backlot.http.url)).text()).toBe('rung');
    // Those that were not given up would wait for an hour.
    expect(await Promise.all(waits)).toEqual([false]);
  } finally {
    await backlot.stop();
  }
});
