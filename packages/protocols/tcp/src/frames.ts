import { DelimiterFramer, LengthPrefixFramer, LineFramer, withLineEnd } from '@backlot/kit/framing';
import { FixedFramer } from './fixed-framer.js';
import { FrameFraming, MAX_MESSAGE, type Framing, type Take } from './framing.js';
import { JsonFramer } from './json-framer.js';
import { frameNest, NestFramer } from './nest-framer.js';

/** The fields of the configuration that say what a message is. */
export interface FramingFields {
  readonly framing?: FramingName;
  readonly delimiter?: string;
  readonly length_bytes?: 1 | 2 | 4;
  readonly frame_size?: number;
}

/** How a stream is cut into messages, in place of the mocks. */
export type FramingName = 'line' | 'length-prefix' | 'delimiter' | 'fixed' | 'json' | 'nest';

/** How messages are cut out of what is received, and answers are made messages. */
export interface Frames {
  readonly name: FramingName;
  make(take: Take): Framing;
  /** @throws RangeError for an answer that cannot be a message */
  frame(body: string | Buffer): string | Buffer;
}

const DEFAULT_LENGTH_BYTES = 4;

/** The framing that the configuration names; `undefined` where the mocks decide what a message is. */
export function framesOf(fields: FramingFields): Frames | undefined {
  const { delimiter, length_bytes: lengthBytes = DEFAULT_LENGTH_BYTES, frame_size: size = 1 } = fields;
  const name = fields.framing ?? (delimiter === undefined ? undefined : 'delimiter');
  switch (name) {
    case undefined:
      return undefined;
    case 'delimiter': {
      const options = { delimiter: delimiter ?? '\n', maxLength: MAX_MESSAGE };
      return {
        name,
        make: (take) => new FrameFraming(new DelimiterFramer(options), take, 'rest'),
        frame: asIs,
      };
    }
    case 'line':
      return {
        name,
        make: (take) => new FrameFraming(new LineFramer({ maxLength: MAX_MESSAGE }), take, 'rest'),
        frame: withLineEnd,
      };
    case 'length-prefix': {
      const options = { lengthBytes, maxLength: MAX_MESSAGE + lengthBytes };
      return {
        name,
        make: (take) => new FrameFraming(new LengthPrefixFramer(options), take),
        frame: (body) => withLength(body, lengthBytes),
      };
    }
    case 'fixed':
      return { name, make: (take) => new FrameFraming(new FixedFramer(size), take), frame: asIs };
    case 'json':
      return {
        name,
        make: (take) => new FrameFraming(new JsonFramer(MAX_MESSAGE), take),
        frame: withLineEnd,
      };
    case 'nest':
      return { name, make: (take) => new FrameFraming(new NestFramer(MAX_MESSAGE), take), frame: frameNest };
  }
}

function asIs(body: string | Buffer): string | Buffer {
  return body;
}

function withLength(body: string | Buffer, lengthBytes: number): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const most = 2 ** (8 * lengthBytes) - 1;
  if (bytes.length > most) {
    throw new RangeError(
      `an answer of ${bytes.length} bytes does not fit a length of ${lengthBytes} bytes, which takes ${most}; raise length_bytes`,
    );
  }
  const framed = Buffer.allocUnsafe(lengthBytes + bytes.length);
  framed.writeUIntBE(bytes.length, 0, lengthBytes);
  bytes.copy(framed, lengthBytes);
  return framed;
}
