import { describe, expect, it } from '@jest/globals';
import { ContentReader, type PublishArguments } from '../src/connection/content.js';

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
});
