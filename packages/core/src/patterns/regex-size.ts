/** A class of Unicode characters is one instruction with hundreds of ranges. */
const UNICODE_CLASS = 10;
const COUNTED = /\{(\d+)(?:(,)(\d*))?\}/y;
const UNICODE = /\\[pP](?:\{[^}]*\}|.)/y;
const QUOTED = /\\Q(.*?)(?:\\E|$)/sy;

/** A group that is open: what stands in it up to now, and the part that a quantifier would repeat. */
interface Open {
  before: number;
  last: number;
}

/**
 * About how many instructions a regular expression compiles to, told by its source alone: what is repeated so many times
 * stands so many times in the program. Groups and repetitions are counted as they stand, valid or not.
 */
export function estimateRegexSize(source: string): number {
  const around: Open[] = [];
  let open: Open = { before: 0, last: 0 };
  const add = (size: number): void => {
    open.before += open.last;
    open.last = size;
  };
  let at = 0;
  const take = (expression: RegExp): RegExpExecArray | undefined => {
    expression.lastIndex = at;
    const found = expression.exec(source) ?? undefined;
    if (found !== undefined) at += found[0].length;
    return found;
  };
  while (at < source.length) {
    const mark = source.charAt(at);
    const counted = mark === '{' ? take(COUNTED) : undefined;
    if (counted !== undefined) {
      const [, least, comma, most] = counted;
      const copies = Math.max(Number(most === undefined || most === '' ? least : most), 1);
      // Each copy beyond the least can be left out, which is one instruction more.
      open.last = open.last * copies + (comma === undefined ? 0 : Math.max(copies - Number(least), 1));
      continue;
    }
    if (mark === '\\') {
      const quoted = take(QUOTED);
      if (quoted !== undefined) {
        // A quantifier behind it repeats its last character.
        add(Math.max((quoted[1]?.length ?? 0) - 1, 0));
        add(1);
      } else if (take(UNICODE) !== undefined) {
        add(UNICODE_CLASS);
      } else {
        add(1);
        at += 2;
      }
      continue;
    }
    at += 1;
    if (mark === '(') {
      around.push(open);
      open = { before: 0, last: 0 };
    } else if (mark === ')') {
      const size = open.before + open.last + 2;
      open = around.pop() ?? { before: 0, last: 0 };
      add(size);
    } else if (mark === '[') {
      const end = endOfClass(source, at);
      add(source.slice(at, end).includes('\\p') ? UNICODE_CLASS : 1);
      at = end;
    } else if (mark === '*' || mark === '+' || mark === '?' || mark === '|') {
      open.last += 1;
    } else {
      add(1);
    }
  }
  let size = open.before + open.last;
  for (const each of around) size += each.before + each.last;
  return size + 2;
}

/** The place after a class that begins before `from`. */
function endOfClass(source: string, from: number): number {
  let at = from;
  while (at < source.length) {
    const mark = source.charAt(at);
    if (mark === ']') return at + 1;
    const named = mark === '[' && source.charAt(at + 1) === ':' ? source.indexOf(':]', at + 2) : -1;
    at = named >= 0 ? named + 2 : at + (mark === '\\' ? 2 : 1);
  }
  return source.length;
}
