import { ExpressionReader, type Expression, type Range } from './expression.js';
import type { Token } from './tokens.js';

/** What a name stands for: an expression, or a member of one. */
export interface Named {
  readonly of: Expression;
  readonly members: readonly string[];
}

/** The names of a source that are given a value once. */
export class Scope {
  readonly #names = new Map<string, Named | 'several'>();

  constructor(private readonly outer?: Scope) {}

  /** What a name stands for; `undefined` for one that is not known, or that has several values. */
  find(name: string): Named | undefined {
    const found = this.#names.get(name) ?? this.outer?.find(name);
    return found === 'several' ? undefined : found;
  }

  /** Says what a name stands for. */
  set(name: string, named: Named): void {
    this.#names.set(name, this.#names.has(name) ? 'several' : named);
  }

  /** Says what the names of a pattern stand for, such as `{ id, user: { name } }`, whose value is a member of something. */
  bind(pattern: Expression, named: Named): void {
    if (pattern.type === 'name') this.set(pattern.name, named);
    if (pattern.type !== 'object') return;
    for (const [name, inner] of pattern.fields)
      if (name !== '') this.bind(inner, { ...named, members: [...named.members, name] });
  }
}

const DECLARING = new Set(['const', 'let', 'var']);

/** Reads what `const` says, and functions that have a name, wherever they stand in a source. */
export function* readNames(tokens: readonly Token[]): Generator<undefined, Scope, undefined> {
  const scope = new Scope();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.type !== 'name') continue;
    if (token.text === 'const' || token.text === 'let') declare(tokens, at, tokens.length, scope);
    const name = tokens[at + 1];
    if (token.text === 'function' && name?.type === 'name')
      scope.set(name.text, { of: new ExpressionReader(tokens, at).read(), members: [] });
    if (at % 500 === 0) yield;
  }
  return scope;
}

/**
 * Reads a declaration.
 *
 * @returns where it ends
 */
export function declare(tokens: readonly Token[], start: number, to: number, scope: Scope): number {
  const reader = new ExpressionReader(tokens, start + 1, to);
  const isPattern = tokens[start + 1]?.text === '{';
  const end = tokens[start + 1]?.close ?? start + 1;
  const pattern: Expression = isPattern
    ? new ExpressionReader(tokens, start + 1, end + 1).read()
    : { type: 'name', name: tokens[start + 1]?.text ?? '' };
  reader.at = end + 1;
  // The type that it is said to have.
  while (reader.at < to && tokens[reader.at]?.text !== '=') {
    const token = tokens[reader.at];
    if (token === undefined || /^[;)]$/.test(token.text) || token.text === 'of' || token.text === 'in')
      return reader.at;
    reader.at = Math.max(token.close ?? reader.at, reader.at) + 1;
  }
  reader.at += 1;
  scope.bind(pattern, { of: reader.read(), members: [] });
  return reader.at;
}

/** Whether a token begins a declaration. */
export function isDeclaration({ type, text }: Token): boolean {
  return type === 'name' && DECLARING.has(text);
}

/** The parameters of a function as patterns. */
export function parametersOf({ tokens, from, to }: Range): readonly Expression[] {
  const patterns: Expression[] = [];
  const reader = new ExpressionReader(tokens, from, to);
  while (reader.at < to) {
    const token = tokens[reader.at];
    const before = reader.at;
    if (token?.text === ',') {
      reader.at += 1;
      continue;
    }
    const end = Math.max(token?.close ?? before, before);
    patterns.push(new ExpressionReader(tokens, before, Math.min(end + 1, to)).read());
    // The type of the parameter, and what it is by default.
    reader.at = end + 1;
    while (reader.at < to && tokens[reader.at]?.text !== ',')
      reader.at = Math.max(tokens[reader.at]?.close ?? 0, reader.at) + 1;
  }
  return patterns;
}
