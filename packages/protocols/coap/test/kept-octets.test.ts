import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { KeptBytes } from '@backlot/kit';
import { Observers } from '../src/observers.js';
import { Representation } from '../src/representation.js';
import type { IncomingRequest } from '../src/incoming-request.js';
import { CoapMessage } from '../src/message.js';
import type { Responder } from '../src/responder.js';
import type { CoapContext, LiveCoapMock } from '../src/shape.js';
import { Uploads } from '../src/transfer/uploads.js';
import { decode, type Packet } from '../src/wire/decode.js';

const OBSERVERS = 500;
const BLOCKS = 1000;

afterEach(() => {
  jest.restoreAllMocks();
});

/** A GET of `/temperature` with a token and a payload of its own, in the pool that Node.js cuts small buffers from. */
function packetOf(id: number): Packet {
  const octets = Buffer.concat([
    Buffer.from([0x42, 1, id >> 8, id & 255, id >> 8, id & 255]),
    Buffer.from(`\xbbtemperature\xff${id}`, 'latin1'),
  ]);
  const packet = decode(octets);
  if (typeof packet === 'string') throw new Error(packet);
  // What else is made meanwhile.
  for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
  return packet;
}

function messageOf(packet: Packet): CoapMessage {
  const { payload: body } = packet;
  return new CoapMessage({
    method: 'GET',
    path: '/temperature',
    remote: 'a:1',
    accept: undefined,
    body,
    packet,
  });
}

describe('the octets of who observes', () => {
  it('hold little more memory than they are', async () => {
    let change = (): void => undefined;
    const held = new Set<ArrayBufferLike>();
    const context = {
      mocks: {
        onChange: (callback: () => void) => ((change = callback), () => undefined),
        values: () => [],
        index: {
          findFirst(message: CoapMessage) {
            if (message.body !== undefined) held.add(message.body.buffer);
            return undefined;
          },
        },
      },
    } as unknown as CoapContext;
    const tokens: string[] = [];
    const responder = {
      notify({ token }: { readonly token: Buffer }) {
        held.add(token.buffer);
        tokens.push(token.toString('hex'));
      },
    } as unknown as Responder;
    const observers = new Observers(context, responder);
    for (let id = 0; id < OBSERVERS; id += 1) {
      const packet = packetOf(id);
      const request = { remote: `a:${id}`, packet, transferKey: '', options: {}, isConfirmable: false };
      const answer = new Representation(69, Buffer.alloc(0));
      observers.add(request as unknown as IncomingRequest, messageOf(packet), {} as LiveCoapMock, answer);
    }
    change();
    // They are told in slices, of which a busy machine needs more than one.
    await eventually(() => tokens.length >= OBSERVERS);
    expect(new Set(tokens).size).toBe(OBSERVERS);
    expect([...held].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(100 * OBSERVERS);
    observers.stop();
  });

  it('say the same as those that came', () => {
    const message = messageOf(packetOf(7));
    const copy = message.copied(new KeptBytes());
    const shown = ({ method, path, remote, body, extras, headers, query }: CoapMessage): unknown => ({
      ...{ method, path, remote, body, extras, headers, query },
    });
    expect(shown(copy)).toEqual(shown(message));
    expect(copy.body?.buffer).not.toBe(message.body?.buffer);
  });
});

describe('the blocks of an upload', () => {
  it('hold little more memory than they are', async () => {
    const held = new Set<ArrayBufferLike>();
    const concat = jest.spyOn(Buffer, 'concat');
    const uploads = new Uploads();
    const whole = Buffer.alloc(BLOCKS * 16, 'b');
    for (let number = 0; number < BLOCKS; number += 1) {
      const block = { number, hasMore: number < BLOCKS - 1, exponent: 0 };
      const payload = whole.subarray(number * 16, (number + 1) * 16);
      const taken = uploads.take('a:1', 'key', block, payload, undefined);
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
      if (block.hasMore) expect(taken.type).toBe('continue');
      else expect(taken).toEqual({ type: 'complete', payload: whole });
    }
    for (const part of concat.mock.calls.at(-1)?.[0] ?? []) held.add(part.buffer);
    expect(held.size).toBeGreaterThan(0);
    expect([...held].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(4 * whole.length);
  });
});
