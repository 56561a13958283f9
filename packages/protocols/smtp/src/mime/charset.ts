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

/** A decoder for the charset that a mail names; one that nobody knows is read as windows-1252, none as UTF-8. */
export function decoderFor(charset: string | undefined): TextDecoder {
  const label = (charset ?? '').trim().toLowerCase();
  if (label === '') return new TextDecoder();
  const known = ALIASES.get(label) ?? label;
  return tryDecoder(known) ?? tryDecoder(known.replace(/^x-/, '')) ?? new TextDecoder(LAST_RESORT);
}

function tryDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
