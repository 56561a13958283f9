/** The opcodes of data frames (RFC 6455, section 5.2). */
export const TEXT = 0x1;
export const BINARY = 0x2;

const FINAL = 0x80;

/** The start of an unmasked, unfragmented frame with room for `extra` bytes behind it. */
function startFrame(opcode: number, length: number, extra: number): Buffer {
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(size + extra);
  frame[0] = FINAL | opcode;
  if (size === 2) {
    frame[1] = length;
  } else if (size === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  return frame;
}

/** A whole text message. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = startFrame(TEXT, length, length);
  frame.write(text, frame.length - length);
  return frame;
}

/** A whole message of bytes; those of a text message must be UTF-8. */
export function dataFrame(opcode: number, data: Uint8Array): Buffer {
  const frame = startFrame(opcode, data.length, data.length);
  frame.set(data, frame.length - data.length);
  return frame;
}
