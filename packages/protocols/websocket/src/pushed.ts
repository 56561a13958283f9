import { invalid, messageOf, parseBase64 } from '@backlot/core/plugin';
import { frameText, type FramingName } from './framing.js';
import type { StreamData } from './schemas.js';
import { BINARY, dataFrame, textFrame } from './wire/frame.js';

/**
 * The frame of a message that is pushed.
 *
 * @throws BacklotError `invalid` when what should be base64 is none
 */
export function framePushed(data: StreamData, framing: FramingName | '' | undefined = ''): Buffer {
  const { json, base64 } = typeof data === 'string' ? {} : data;
  if (base64 === undefined) {
    const text = typeof data === 'string' ? data : JSON.stringify(json);
    return textFrame(framing === '' ? text : frameText(framing, text));
  }
  try {
    return dataFrame(BINARY, parseBase64(base64));
  } catch (thrown) {
    throw invalid(messageOf(thrown), [{ path: '/data/base64', message: messageOf(thrown) }]);
  }
}
