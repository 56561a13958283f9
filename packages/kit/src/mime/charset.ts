import { TextDecoder } from 'node:util';

/** What some mailers write for a charset of the Encoding Standard. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['ansi', 'windows-1252'],
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['latin-1', 'iso-8859-1'],
  ['latin-9', 'iso-8859-15'],
  ['utf-7', 'utf-8'],
]);
/** Every byte means something in it, so that nothing is lost. */
const LAST_RESORT = 'windows-1252';

/**
 * A decoder for the charset that a message names: windows-1252 when the charset is not known, UTF-8 when there is none.
 */
export function decoderFor(charset: string | undefined): TextDecoder {
  const label = (charset ?? '').trim();
  if (label === '') return new TextDecoder();
  return findDecoder(label) ?? new TextDecoder(LAST_RESORT);
}

/** A decoder for a charset by its name, in upper or lower case; `undefined` when it is not known. */
export function findDecoder(charset: string): TextDecoder | undefined {
  const label = charset.trim().toLowerCase();
  const known = ALIASES.get(label) ?? label;
  return tryDecoder(known) ?? (known.startsWith('x-') ? tryDecoder(known.slice(2)) : undefined);
}

function tryDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
