import { PROPERTY } from './properties.js';

/** Most bytes of a text or of binary data in a packet (MQTT 5, section 1.5.4). */
const MAX_LENGTH = 65_535;

/** A variable byte integer (MQTT 5, section 1.5.5). */
export function encodeLength(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest >= 128;
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

/**
 * The bytes of a property with a text or with binary data.
 *
 * @throws RangeError when the value is longer than MQTT can say
 */
export function encodeBytesProperty(id: number, value: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from([id]), encodeBytes(value)]);
}

/**
 * The bytes of a property with a text.
 *
 * @throws RangeError when it is longer than MQTT can say, or holds U+0000, which no text may (section 1.5.4)
 */
export function encodeTextProperty(id: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([id]), encodeText(text)]);
}

/** The bytes of a property of one byte. */
export function encodeByteProperty(id: number, value: number): Buffer {
  return Buffer.from([id, value]);
}

/** The bytes of a property of two bytes. */
export function encodeU16Property(id: number, value: number): Buffer {
  return Buffer.from([id, value >> 8, value & 0xff]);
}

/** The bytes of a user property. @throws RangeError when name or value are no texts of MQTT, as {@link encodeTextProperty} */
export function encodeUserProperty(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([PROPERTY.USER_PROPERTY]), encodeText(name), encodeText(value)]);
}

/** The bytes of a property of four bytes. */
export function encodeU32Property(id: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(5);
  bytes[0] = id;
  bytes.writeUInt32BE(value, 1);
  return bytes;
}

/** The bytes of a subscription identifier in a PUBLISH (MQTT 5, section 3.3.2.3.8). */
export function encodeIdentifier(identifier: number): Buffer {
  return Buffer.concat([Buffer.from([PROPERTY.SUBSCRIPTION_IDENTIFIER]), encodeLength(identifier)]);
}

/** A text with its length. @throws RangeError as {@link encodeTextProperty} */
export function encodeText(text: string): Buffer {
  if (text.includes('\0'))
    throw new RangeError(
      `${JSON.stringify(text.slice(0, 100))} holds U+0000, which no text of MQTT may hold`,
    );
  return encodeBytes(text);
}

function encodeBytes(value: Buffer | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  if (bytes.length > MAX_LENGTH) {
    throw new RangeError(`a property has ${bytes.length} bytes; want at most ${MAX_LENGTH}`);
  }
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
