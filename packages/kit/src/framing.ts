export { ByteQueue } from './framing/byte-queue.js';
export { ByteReader } from './framing/byte-reader.js';
export { ByteWriter } from './framing/byte-writer.js';
export { DelimiterFramer, type DelimiterFramerOptions } from './framing/delimiter-framer.js';
export { Framer, type OnFrame } from './framing/framer.js';
export { FramingError, isFramingError, type FramingErrorCode } from './framing/framing-error.js';
export { Gathered } from './framing/gathered.js';
export { LengthPrefixFramer, type LengthPrefixFramerOptions } from './framing/length-prefix-framer.js';
export { LineFramer, type LineFramerOptions } from './framing/line-framer.js';
