import { describe, expect, it } from '@jest/globals';
import { constantContent, parseBase64, type ContentTemplate } from '../src/content/compile-content.js';
import { retainReply } from '../src/journal/retain.js';
import { compileTemplate } from '../src/templates/template.js';

/** What else a busy process makes, in the pool of Node.js. */
function makeOthers(): void {
  for (let count = 0; count < 4; count += 1) Buffer.allocUnsafe(3000);
}

describe('replies in the journal', () => {
  it('hold little more memory than their bodies have bytes', () => {
    const buffers = new Set<ArrayBufferLike>();
    let size = 0;
    for (let index = 0; index < 1000; index += 1) {
      const body = Buffer.from(`answer ${index}`);
      makeOthers();
      const { body: retained } = retainReply({ status: 200, body });
      if (typeof retained !== 'object') throw new Error('no bytes');
      expect(Buffer.from(retained).equals(body)).toBe(true);
      buffers.add(retained.buffer);
      size += body.length;
    }
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(2 * size + 16_384);
  });

  it('share what is the same for all of them', () => {
    const text = Object.assign(compileTemplate('hello'), { bytes: undefined, isJson: false });
    for (const body of [constantContent(text satisfies ContentTemplate), parseBase64('AAEC')]) {
      if (body === undefined) throw new Error('not constant');
      const reply = { status: 200, body };
      expect(body.buffer.byteLength).toBe(body.length);
      // Asking for the memory of bytes takes longer than an exchange without it.
      const asked = (): never => {
        throw new Error('asked for the memory');
      };
      Object.defineProperty(body, 'buffer', { get: asked });
      expect(retainReply(reply)).toBe(reply);
    }
  });

  it('are not copied when they fill their memory, or are texts', () => {
    for (const body of ['hello', Buffer.alloc(3000), Buffer.from('x'.repeat(5000)), Buffer.alloc(20_000)]) {
      const reply = { status: 200, body };
      expect(retainReply(reply)).toBe(reply);
    }
  });
});
