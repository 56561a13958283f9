import type { FrameFate, FrameSide } from '@backlot/kit/upstream';
import { encodeHeaders, joinFrame } from '../wire/encode-frame.js';
import { parseFrame, type Frame, type Headers } from '../wire/frame.js';
import { StompFramer } from '../wire/stomp-framer.js';
import type { Version } from '../wire/version.js';

const LF = 10;
const CR = 13;

/** The frames of one direction as they pass; line ends between them are frames as well. */
export class PassingFrames extends StompFramer implements FrameSide {
  readonly #take: FrameSide['take'];

  /** @param take - looks at a frame with its NUL, or at line ends */
  constructor(take: (frame: Buffer) => FrameFate | Promise<FrameFate>) {
    super(Number.POSITIVE_INFINITY);
    this.#take = take;
  }

  override measure(bytes: Buffer, start: number, end: number): number {
    const length = super.measure(bytes, start, end) || this.announcedLength;
    if (length > 0) this.restart();
    return length;
  }

  take(frame: Buffer): FrameFate | Promise<FrameFate> {
    return this.#take(frame);
  }
}

/** The command of a frame that passes; empty for line ends. */
export function commandOf(frame: Buffer): string {
  const end = frame.indexOf(LF);
  return frame.toString('latin1', 0, frame[end - 1] === CR ? end - 1 : end);
}

/**
 * Reads a frame that passes.
 *
 * @param frame - with its NUL
 * @throws StompError when a header is not as the version has it
 */
export function readFrame(frame: Buffer, version: Version | undefined): Frame {
  const [plain, withReturn] = [frame.indexOf('\n\n'), frame.indexOf('\n\r\n')];
  const bodyStart = withReturn >= 0 && (plain < 0 || withReturn < plain) ? withReturn + 3 : plain + 2;
  return parseFrame(frame.subarray(0, -1), bodyStart, version);
}

/** Writes a frame with a body. */
export function writeFrame(
  command: 'SEND' | 'MESSAGE',
  headers: Headers | Readonly<Record<string, string | undefined>>,
  body: Buffer,
  version: Version,
): Buffer {
  return joinFrame(
    `${command}\n${encodeHeaders({ ...headers, 'content-length': body.length }, version)}`,
    body,
  );
}
