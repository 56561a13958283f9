import { invalid, messageOf, parseBase64 } from '@backlot/core/plugin';
import type { StreamData } from './schemas.js';
import { BINARY, dataFrame, textFrame } from './wire/frame.js';

/**
 * The frame of a message that is pushed.
 *
 * @throws BacklotError `invalid` when what should be base64 is none
 */
export function framePushed(data: StreamData): Buffer {
  if (typeof data === 'string') return textFrame(data);
  const { json, base64 } = data;
  if (base64 === undefined) return textFrame(JSON.stringify(json));
  try {
    return dataFrame(BINARY, parseBase64(base64));
  } catch (thrown) {
    throw invalid(messageOf(thrown), [{ path: '/data/base64', message: messageOf(thrown) }]);
  }
}
