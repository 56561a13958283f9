import { isUtf8 } from 'node:buffer';

/** Bytes for people: text, or base64 when they are no UTF-8. */
export interface Shown {
  readonly text: string | null;
  readonly isBase64: boolean;
}

/** Shows bytes; null stays null. */
export function show(bytes: Buffer | null): Shown {
  if (bytes === null) return { text: null, isBase64: false };
  const isText = isUtf8(bytes);
  return { text: bytes.toString(isText ? 'utf8' : 'base64'), isBase64: !isText };
}
