import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { IncomingRequest } from '../src/incoming-request.js';
import type { CoapMessage } from '../src/message.js';
import { Observers } from '../src/observers.js';
import { Representation } from '../src/representation.js';
import type { Responder } from '../src/responder.js';
import type { CoapContext, LiveCoapMock } from '../src/shape.js';

const compiled = {};
const mock = { compiled } as LiveCoapMock;
const ANSWER = new Representation(0x45, Buffer.from('20'));

/** Observers of one mock; `look` is called for each when something has changed. */
function begin(look: () => void) {
  let change = (): void => undefined;
  const mocks = {
    onChange: (callback: () => void) => ((change = callback), () => undefined),
    values: () => [mock],
    index: { findFirst: () => (look(), mock) },
  };
  const context = { mocks, log: { error: (text: string) => expect(text).toBe('') } };
  const observers = new Observers(context as unknown as CoapContext, {} as Responder);
  const add = (n: number, size = 20, answer = ANSWER): number | undefined => {
    const token = Buffer.from([n >> 8, n & 0xff]);
    const packet = { token, data: Buffer.alloc(size) };
    const request = {
      remote: `client ${n >> 5}`,
      packet,
      transferKey: '1',
      options: {},
      isConfirmable: true,
    };
    const message = { copied: () => message } as unknown as CoapMessage;
    return observers.add(request as unknown as IncomingRequest, message, mock, answer);
  };
  return { observers, add, change: () => change() };
}

describe('thousands of observers', () => {
  it('are looked at in slices, all of them, and once more for changes meanwhile', async () => {
    let looked = 0;
    const { observers, add, change } = begin(() => {
      looked += 1;
      if (looked === 100) change();
      for (const begun = performance.now(); performance.now() - begun < 0.5;);
    });
    for (let n = 0; n < 300; n += 1) add(n);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    change();
    change();
    await eventually(() => looked >= 600);
    isOver = true;
    expect(looked).toBe(600);
    // 300 ms of work in slices of 10.
    expect(turns).toBeGreaterThan(10);
    change();
    await eventually(() => looked > 600);
    observers.stop();
    await eventually(() => observers.count === 0);
    const before = looked;
    await new Promise((resolve) => setImmediate(resolve));
    expect(looked).toBe(before);
  });

  it('have 64 MiB for their requests and what they were told', () => {
    const { observers, add } = begin(() => undefined);
    const size = 64 * 1024;
    let count = 0;
    while (count < 2000 && add(count, size) !== undefined) count += 1;
    expect(count).toBe(1023);
    observers.remove('client 0', Buffer.from([0, 0]));
    expect(add(0, 20, new Representation(0x45, Buffer.alloc(2 * size)))).toBeUndefined();
    expect(add(0, size)).toBeDefined();
    observers.stop();
  });
});
