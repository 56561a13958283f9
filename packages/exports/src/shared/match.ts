import { isTree, textOf, type Tree } from './trees.js';

/** What a pattern of a mock asks for, without its short forms. */
export type Match =
  | { readonly is: 'anything' }
  | { readonly is: 'present' | 'absent' }
  | { readonly is: 'equals' | 'contains' | 'prefix' | 'suffix' | 'regex'; readonly text: string }
  | { readonly is: 'json'; readonly value: unknown; readonly isPart: boolean; readonly ignoresOrder: boolean }
  | { readonly is: 'json_path' | 'xpath'; readonly path: string; readonly inner: Match | undefined }
  | { readonly is: 'json_schema'; readonly schema: unknown }
  | { readonly is: 'all' | 'any'; readonly of: readonly Match[] }
  | { readonly is: 'not'; readonly of: Match }
  /** What is known to Backlot alone, such as `same_as`. */
  | { readonly is: 'other'; readonly field: string };

const TEXTS = ['equals', 'contains', 'prefix', 'suffix', 'regex'] as const;

/** Takes a pattern apart. */
export function matchOf(source: unknown): Match {
  if (typeof source === 'number' || typeof source === 'boolean')
    return { is: 'equals', text: String(source) };
  if (typeof source === 'string') return matchOfText(source);
  if (!isTree(source)) return { is: 'anything' };
  const all = Object.entries(source).map(([field, value]) => matchOfField(field, value));
  return all.length === 1 && all[0] !== undefined ? all[0] : { is: 'all', of: all };
}

function matchOfText(text: string): Match {
  if (text === '') return { is: 'anything' };
  if (text.startsWith('re:')) return { is: 'regex', text: text.slice(3) };
  if (text === '*') return { is: 'present' };
  const parts = splitAtStars(text);
  const [only = ''] = parts;
  if (parts.length === 1) return { is: 'equals', text: only };
  return { is: 'regex', text: `^${parts.map(escapeRegex).join('[^]*')}$`.replaceAll('[^]*', '(?s:.*)') };
}

/** The texts between the stars of a pattern; a backslash takes the meaning from what follows. */
export function splitAtStars(text: string): readonly string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '*') parts.push('');
    else if (letter === '\\' && /[*\\]/.test(text.charAt(at + 1)))
      parts.push(parts.pop() + text.charAt(++at));
    else parts.push((parts.pop() ?? '') + letter);
  }
  return parts;
}

function matchOfField(field: string, value: unknown): Match {
  const text = TEXTS.find((name) => name === field);
  if (text !== undefined && typeof value === 'string') return { is: text, text: value };
  switch (field) {
    case 'present':
    case 'absent':
      return { is: field };
    case 'any_of':
    case 'all_of':
      return { is: field === 'any_of' ? 'any' : 'all', of: (value as unknown[]).map(matchOf) };
    case 'not':
      return { is: 'not', of: matchOf(value) };
    case 'json': {
      const json = value as Tree;
      const isPart = json['partial'] !== undefined;
      return {
        is: 'json',
        value: isPart ? json['partial'] : json['equals'],
        isPart,
        ignoresOrder: json['ignore_order'] === true,
      };
    }
    case 'json_schema':
      return { is: 'json_schema', schema: value };
    case 'json_path':
    case 'xpath':
      return {
        is: field,
        path: textOf(value) ?? textOf((value as Tree)['path']) ?? '',
        inner: isTree(value) && value['is'] !== undefined ? matchOf(value['is']) : undefined,
      };
    default:
      return { is: 'other', field };
  }
}

/** A text as a regular expression that matches just this text. */
export function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
