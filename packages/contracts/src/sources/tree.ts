import { parseDocument } from 'yaml';

/** What a text is as JSON or YAML. */
export interface ParsedTree {
  /** The object or list that it is; `undefined` when it is neither. */
  readonly tree?: unknown;
  /** Why a text that begins as JSON or YAML is none. */
  readonly fault?: string;
}

/** How often aliases of YAML may be repeated, all together. */
const MOST_ALIASES = 1000;

/** Reads a text as JSON, else as YAML where it looks like that. */
export function parseTree(text: string, name = ''): ParsedTree {
  const trimmed = text.replace(/^\uFEFF/, '');
  const isNamed = /\.ya?ml$/i.test(name);
  if (!isNamed && /^\s*[[{]/.test(trimmed)) {
    try {
      return objectOf(JSON.parse(trimmed));
    } catch (thrown) {
      return { fault: `it is no JSON: ${thrown instanceof Error ? thrown.message.slice(0, 200) : ''}` };
    }
  }
  if (!isNamed && !looksLikeYaml(trimmed)) return {};
  try {
    let document = parseYaml(trimmed);
    // For most other parsers a line that closes lists in braces may stand anywhere.
    if (document.errors.length > 0)
      document = parseYaml(trimmed.replaceAll(/^[ \t]*(?=[}\]][}\],\s]*$)/gm, ' '.repeat(100)));
    const [error] = document.errors;
    if (error !== undefined) return { fault: `it is no YAML: ${error.message.slice(0, 200)}` };
    const value = document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
    // An alias may stand within what it stands for; such a value has no end, and this throws.
    if (trimmed.includes('&')) JSON.stringify(value);
    return objectOf(value);
  } catch (thrown) {
    return { fault: `it is no YAML: ${thrown instanceof Error ? thrown.message.slice(0, 200) : ''}` };
  }
}

function parseYaml(text: string): ReturnType<typeof parseDocument> {
  return parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
}

function objectOf(value: unknown): ParsedTree {
  return typeof value === 'object' && value !== null ? { tree: value } : {};
}

/** Whether the first line that says something is one of YAML. */
function looksLikeYaml(text: string): boolean {
  const start = text.slice(0, 4096);
  const line = start
    .split(/\r?\n/)
    .find((one) => one.trim() !== '' && !/^\s*#/.test(one) && !one.startsWith('---'));
  return line !== undefined && /^["']?[A-Za-z_$][\w$.-]*["']?:(\s|$)/.test(line);
}
