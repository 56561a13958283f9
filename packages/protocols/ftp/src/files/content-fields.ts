import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** Of both three bytes, which are four digits of base64, and of what is gone through in a few milliseconds. */
const STEP = 3 * 256 * 1024;
const TAG = Buffer.from('{{');

/** How a file with these bytes is written down. */
export interface ContentFields {
  readonly content: string;
  readonly encoding?: 'base64';
}

/**
 * How a file with these bytes is written down: as text where that means the same, else as base64. Yields now and then,
 * see `runInSlices`.
 */
export function* contentFields(bytes: Uint8Array): Generator<undefined, ContentFields> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let content = '';
  if (isUtf8(buffer) && !(yield* hasTag(buffer))) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (let at = 0; at < buffer.length; at += STEP) {
      content += decoder.decode(buffer.subarray(at, at + STEP), { stream: true });
      yield;
    }
    return { content: content + decoder.decode() };
  }
  for (let at = 0; at < buffer.length; at += STEP) {
    content += buffer.toString('base64', at, Math.min(at + STEP, buffer.length));
    yield;
  }
  return { content, encoding: 'base64' };
}

/** Whether a text holds a tag, so that it would be rendered. */
function* hasTag(buffer: Buffer): Generator<undefined, boolean> {
  for (let at = 0; at < buffer.length; at += STEP) {
    if (buffer.subarray(at, at + STEP + 1).includes(TAG)) return true;
    yield;
  }
  return false;
}
