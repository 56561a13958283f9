import { isUtf8 } from 'node:buffer';

/** How a file with these bytes is written down: as text where that means the same, else as base64. */
export function contentFields(bytes: Uint8Array): { content: string; encoding?: 'base64' } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A text with a tag would be rendered.
  if (isUtf8(buffer) && !buffer.includes('{{')) return { content: buffer.toString('utf8') };
  return { content: buffer.toString('base64'), encoding: 'base64' };
}
