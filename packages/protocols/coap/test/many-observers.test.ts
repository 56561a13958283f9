import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Observers } from '../src/observers.js';
import { Representation } from '../src/representation.js';
import type { IncomingRequest } from '../src/incoming-request.js';
import { CoapMessage } from '../src/message.js';
import type { Responder } from '../src/responder.js';
import type { CoapContext, LiveCoapMock } from '../src/shape.js';
import { decode } from '../src/wire/decode.js';

const OBSERVERS = 5000;

/** Observers of which all have lost their mock; finding that out takes a while for each. */
function makeObservers(): {
  readonly observers: Observers;
  readonly told: string[];
  change(): void;
  reviews(): number;
} {
  let tellChange = (): void => undefined;
  let reviews = 0;
  const told: string[] = [];
  const context = {
    mocks: {
      onChange: (callback: () => void) => ((tellChange = callback), () => undefined),
      values: () => [],
      index: {
        findFirst() {
          reviews += 1;
          JSON.parse(`[${'1,'.repeat(50)}1]`);
          return undefined;
        },
      },
    },
  } as unknown as CoapContext;
  const responder = {
    notify: ({ remote }: { readonly remote: string }) => void told.push(remote),
  } as unknown as Responder;
  const observers = new Observers(context, responder);
  for (let id = 0; id < OBSERVERS; id += 1) {
    const packet = decode(Buffer.from([0x42, 1, id >> 8, id & 255, id >> 8, id & 255]));
    if (typeof packet === 'string') throw new Error(packet);
    const message = new CoapMessage({
      method: 'GET',
      path: '/',
      remote: 'a',
      accept: undefined,
      body: undefined,
      packet,
    });
    const request = { remote: `a:${id}`, packet, transferKey: '', options: {}, isConfirmable: false };
    const answer = new Representation(69, Buffer.alloc(0));
    observers.add(request as unknown as IncomingRequest, message, {} as LiveCoapMock, answer);
  }
  return { observers, told, change: () => tellChange(), reviews: () => reviews };
}

describe('thousands of observers', () => {
  it('are told of a change in slices that let others in, each once', async () => {
    const { observers, told, change } = makeObservers();
    let turns = 0;
    change();
    change();
    await eventually(() => {
      turns += 1;
      return observers.count === 0;
    });
    expect(turns).toBeGreaterThan(2);
    expect(told).toHaveLength(OBSERVERS);
    expect(new Set(told).size).toBe(OBSERVERS);
    observers.stop();
  });

  it('are not told any more once it has stopped', async () => {
    const { observers, told, change } = makeObservers();
    change();
    await Promise.resolve();
    observers.stop();
    const before = told.length;
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(told).toHaveLength(before);
    expect(before).toBeLessThan(OBSERVERS);
  });

  it('are looked at anew when there is another change meanwhile', async () => {
    const { observers, told, change, reviews } = makeObservers();
    change();
    await Promise.resolve();
    const first = reviews();
    expect(first).toBeGreaterThan(0);
    change();
    await eventually(() => observers.count === 0);
    expect(reviews()).toBe(OBSERVERS);
    expect(told).toHaveLength(OBSERVERS);
    observers.stop();
  });
});
