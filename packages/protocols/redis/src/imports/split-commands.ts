import { splitInline } from '../wire/split-inline.js';

/** A command of a file, with where it stands. */
export interface FileCommand {
  readonly place: string;
  /** One character a byte; `undefined` for what is no command. */
  readonly args: readonly string[] | undefined;
}

const MOST_ARGS = 1_048_576;

/**
 * The commands of an append-only file, or of a file that is piped into `redis-cli`: arrays of RESP and lines, mixed as they
 * come.
 *
 * @param bytes - one character a byte
 */
export function* splitCommands(bytes: string, from = 0): Generator<FileCommand | undefined, void> {
  let at = from;
  while (at < bytes.length) {
    const place = `byte ${at}`;
    if (bytes[at] === '*') {
      const array = readArray(bytes, at);
      yield { place, args: array?.args };
      if (array === undefined) return;
      at = array.end;
      continue;
    }
    const end = bytes.indexOf('\n', at);
    const line = bytes.slice(at, end === -1 ? bytes.length : end).replace(/\r$/, '');
    at = end === -1 ? bytes.length : end + 1;
    // Redis writes times and annotations as comments.
    if (line.trim() === '' || line.startsWith('#')) {
      yield undefined;
      continue;
    }
    yield { place, args: splitInline(line) };
  }
}

function readArray(
  bytes: string,
  from: number,
): { readonly args: string[]; readonly end: number } | undefined {
  let at = from;
  const number = (mark: string): number => {
    const end = bytes.indexOf('\r\n', at);
    const digits = end === -1 || end - at > 20 || bytes[at] !== mark ? '' : bytes.slice(at + 1, end);
    at = end + 2;
    return /^\d{1,10}$/.test(digits) ? Number(digits) : -1;
  };
  const args: string[] = [];
  const count = number('*');
  if (count < 1 || count > MOST_ARGS) return undefined;
  for (let left = count; left > 0; left -= 1) {
    const length = number('$');
    if (length < 0 || at + length + 2 > bytes.length) return undefined;
    args.push(bytes.slice(at, at + length));
    at += length + 2;
  }
  return { args, end: at };
}
