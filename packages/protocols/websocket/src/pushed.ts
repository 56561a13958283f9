import { invalid, messageOf, parseBase64 } from '@backlot/core/plugin';
import { frameText, type FramingName } from './framing.js';
import type { StreamData } from './schemas.js';
import { BINARY, dataFrame, textFrame } from './wire/frame.js';

const PLAIN = 'must be a text, {json} or {base64}';

/**
 * The frame of a message that is pushed into a connection without a dialect.
 *
 * @throws BacklotError `invalid` when what should be base64 is none, and for events
 */
export function framePushed(data: StreamData, framing: FramingName | '' | undefined = ''): Buffer {
  const { json, base64, ...others } = typeof data === 'string' ? {} : data;
  const isBoth = json !== undefined && base64 !== undefined;
  if (isBoth || Object.keys(others).length > 0) {
    const message = isBoth
      ? `${PLAIN}: json and base64 are both given`
      : `${PLAIN}: the connection speaks no dialect`;
    throw invalid(`data for websocket ${message}`, [{ path: '/data', message }]);
  }
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
