import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readOn } from '../src/wire/read-on.js';
import type { Rpc } from '../src/wire/rpc-call.js';

const MESSAGES = 2000;
const WORK = Buffer.alloc(64 * 1024);

/** How many turns the event loop makes while messages are handed out one after another, as of one chunk of bytes. */
async function countTurns(goOn: (rpc: Rpc) => void): Promise<number> {
  let turns = 0;
  let count = 0;
  await new Promise<void>((resolve) => {
    const turn = (): void => {
      turns += 1;
      if (count < MESSAGES) setImmediate(turn);
    };
    setImmediate(turn);
    const rpc = {
      startRead: () =>
        queueMicrotask(() => {
          createHash('sha256').update(WORK).digest();
          count += 1;
          if (count === MESSAGES) resolve();
          else goOn(rpc);
        }),
    } as unknown as Rpc;
    goOn(rpc);
  });
  return turns;
}

describe('the messages of a stream', () => {
  it('are handed out in slices, between which others are served', async () => {
    expect(await countTurns((rpc) => rpc.startRead())).toBe(0);
    expect(await countTurns(readOn)).toBeGreaterThan(1);
  });
});
