import { describe, expect, it } from '@jest/globals';
import {
  ContentReader,
  type Content,
  type Header,
  type PublishArguments,
} from '../src/connection/content.js';
import { LastRead } from '../src/wire/last-read.js';
import { writeContentHeader, type Properties } from '../src/wire/properties.js';

const PUBLISH: PublishArguments = {
  exchange: '',
  routingKey: 'q',
  mandatory: false,
  immediate: false,
} as PublishArguments;

/** The header of a body of so many bytes, without properties. */
function headerOf(size: number): Buffer {
  const header = Buffer.alloc(14);
  header.writeUInt16BE(60, 0);
  header.writeUInt32BE(size, 8);
  return header;
}

describe('messages that have come', () => {
  it('hold little more memory than they have bytes', () => {
    const buffers = new Set<ArrayBufferLike>();
    for (let index = 0; index < 1000; index += 1) {
      const bytes = Buffer.from(`message ${index}`);
      const reader = new ContentReader(PUBLISH);
      reader.takeHeader(headerOf(bytes.length));
      const content = reader.takeBody(bytes);
      expect(content?.body.toString()).toBe(`message ${index}`);
      for (const part of [content?.header, content?.body]) if (part !== undefined) buffers.add(part.buffer);
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
    }
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(60_000);
  });

  it('share what they say about themselves where they say the same, and nothing else', () => {
    const last = new LastRead<Header>();
    const take = (properties: Properties, body: string): Content | undefined => {
      const reader = new ContentReader(PUBLISH, last);
      reader.takeHeader(Buffer.from(writeContentHeader(properties, body.length)));
      return reader.takeBody(Buffer.from(body));
    };
    const first = take({ message_id: 'a' }, 'one');
    const same = take({ message_id: 'a' }, 'two');
    expect(same?.body.toString()).toBe('two');
    expect(same?.properties).toBe(first?.properties);
    expect(same?.header).toBe(first?.header);
    expect(take({ message_id: 'b' }, 'one')?.properties).toEqual({ message_id: 'b' });
    expect(take({ message_id: 'a' }, 'longer')?.body.toString()).toBe('longer');
    expect(take({ message_id: 'a', type: 't' }, 'longer')?.properties).toEqual({
      message_id: 'a',
      type: 't',
    });
    expect(take({}, 'longer')?.properties).toEqual({});
  });
});
