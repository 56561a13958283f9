/** What a MIB module says about OIDs. */
export interface MibModule {
  readonly name: string;
  /** The modules that names come from, by name. */
  readonly imports: ReadonlyMap<string, string>;
  /** The OIDs as they are written, `["mib-2", "2"]`, by the names that they are given. */
  readonly assigned: ReadonlyMap<string, readonly string[]>;
}

/** What gives a name an OID (RFC 2578, RFC 2580): the macros, and the plain assignment. */
const ASSIGNING: ReadonlySet<string> = new Set([
  'OBJECT',
  'OBJECT-TYPE',
  'OBJECT-IDENTITY',
  'OBJECT-GROUP',
  'MODULE-IDENTITY',
  'MODULE-COMPLIANCE',
  'NOTIFICATION-TYPE',
  'NOTIFICATION-GROUP',
  'AGENT-CAPABILITIES',
]);

/** The words and signs of ASN.1, of which texts and comments are left out: they may hold anything. */
const TOKEN =
  /"[^"]*"|--(?:[^\n\r-]|-(?!-))*(?:--)?|([A-Za-z](?:[A-Za-z0-9_]|-(?!-))*|\d+|::=|[{}(),;]|[^\sA-Za-z0-9])/g;

/** The most parts that an OID may be written with. */
const MAX_PARTS = 128;

/**
 * Reads which names have which OIDs, of all modules in a text. Nothing else of it is looked at: types, ranges and conformance may be
 * wrong.
 */
export function readMib(text: string): MibModule[] {
  const tokens = Array.from(text.matchAll(TOKEN), ([, token]) => token).filter(
    (token) => token !== undefined,
  );
  const modules: MibModule[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at] !== 'DEFINITIONS') continue;
    const { module, end } = readModule(tokens, nameBefore(tokens, at), at + 1);
    if (module !== undefined) modules.push(module);
    at = end;
  }
  return modules;
}

/** The name before the word, behind which an OID in braces may stand. */
function nameBefore(tokens: readonly string[], at: number): string {
  let place = at - 1;
  if (tokens[place] === '}') while (place >= 0 && tokens[place] !== '{') place -= 1;
  return (tokens[place] === '{' ? tokens[place - 1] : tokens[place]) ?? '';
}

function readModule(
  tokens: readonly string[],
  name: string,
  start: number,
): { readonly module: MibModule | undefined; readonly end: number } {
  const imports = new Map<string, string>();
  const assigned = new Map<string, readonly string[]>();
  let given: string | undefined;
  let at = tokens.indexOf('BEGIN', start);
  if (at < 0 || !/^[A-Z]/.test(name)) return { module: undefined, end: start };
  for (at += 1; at < tokens.length && tokens[at] !== 'END'; at += 1) {
    const token = tokens[at] ?? '';
    if (token === 'IMPORTS') at = readImports(tokens, at + 1, imports);
    // What a macro is made of is no assignment.
    else if (token === 'MACRO') at = skipTo(tokens, at, 'END');
    else if (ASSIGNING.has(token) && /^[a-z]/.test(tokens[at - 1] ?? '')) given = tokens[at - 1];
    else if (token === '::=' && given !== undefined) {
      if (tokens[at + 1] === '{') {
        const end = skipTo(tokens, at, '}');
        const parts = partsOf(tokens.slice(at + 2, end));
        if (parts !== undefined) assigned.set(given, parts);
        at = end;
      }
      given = undefined;
    }
  }
  return { module: { name, imports, assigned }, end: at };
}

/** @returns the place of the semicolon behind them */
function readImports(tokens: readonly string[], start: number, imports: Map<string, string>): number {
  let names: string[] = [];
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (token === ';') return at;
    if (token !== 'FROM') {
      if (token !== ',') names.push(token);
      continue;
    }
    at += 1;
    for (const name of names) imports.set(name, tokens[at] ?? '');
    names = [];
  }
  return tokens.length;
}

function skipTo(tokens: readonly string[], start: number, token: string): number {
  const at = tokens.indexOf(token, start);
  return at < 0 ? tokens.length : at;
}

/** The parts of an OID: a name or a number each; of `org(3)` the number counts. */
function partsOf(tokens: readonly string[]): string[] | undefined {
  const parts: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (tokens[at + 1] === '(' && tokens[at + 3] === ')') {
      parts.push(tokens[at + 2] ?? '');
      at += 3;
    } else parts.push(token);
  }
  const [, ...others] = parts;
  const isOid = /^[a-z0-9]/i.test(parts[0] ?? '') && others.every((part) => /^\d+$/.test(part));
  return isOid && parts.length <= MAX_PARTS ? parts : undefined;
}
