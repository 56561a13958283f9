const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

/**
 * Splits an inline command (RESP specification, "Inline commands") at white space; arguments may stand in double
 * quotes, with escapes, or in single quotes.
 *
 * @returns `undefined` when a quote is not closed, or not followed by white space
 */
export function splitInline(line: string): string[] | undefined {
  const args: string[] = [];
  let at = 0;
  for (;;) {
    while (isSpace(line[at])) at += 1;
    if (at >= line.length) return args;
    let arg = '';
    for (;;) {
      const char = line[at];
      if (char === undefined || isSpace(char)) break;
      if (char === '"' || char === "'") {
        const quoted = char === '"' ? readDouble(line, at + 1) : readSingle(line, at + 1);
        if (quoted === undefined) return undefined;
        const next = line[quoted.end];
        if (next !== undefined && !isSpace(next)) return undefined;
        arg += quoted.text;
        at = quoted.end;
        break;
      }
      arg += char;
      at += 1;
    }
    args.push(arg);
  }
}

interface Quoted {
  readonly text: string;
  /** Behind the closing quote. */
  readonly end: number;
}

function readDouble(line: string, start: number): Quoted | undefined {
  let text = '';
  for (let at = start; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '"') return { text, end: at + 1 };
    if (char !== '\\' || at + 1 >= line.length) {
      text += char;
      continue;
    }
    const hex = /^x([0-9a-f]{2})/i.exec(line.slice(at + 1, at + 4))?.[1];
    if (hex !== undefined) {
      text += String.fromCharCode(parseInt(hex, 16));
      at += 3;
    } else {
      const escaped = line[at + 1] ?? '';
      text += ESCAPES[escaped] ?? escaped;
      at += 1;
    }
  }
  return undefined;
}

function readSingle(line: string, start: number): Quoted | undefined {
  let text = '';
  for (let at = start; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === "'") return { text, end: at + 1 };
    if (char === '\\' && line[at + 1] === "'") {
      text += "'";
      at += 1;
    } else text += char;
  }
  return undefined;
}

function isSpace(char: string | undefined): boolean {
  return char !== undefined && /[\s\0]/.test(char);
}
