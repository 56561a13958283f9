import { Dynamic, written } from '../javascript/evaluate.js';
import { ExpressionReader, isRange, type Expression, type Range } from '../javascript/expression.js';
import { declare, isDeclaration, parametersOf, Scope } from '../javascript/scope.js';

/** What a resolver does, where that is the same each time. */
export interface Resolved {
  readonly answer: Expression;
  readonly scope: Scope;
  /** The argument of `delay`, where it waits. */
  readonly delay?: readonly Expression[];
  /** Whether it does something beside its answer. */
  readonly hasEffects: boolean;
}

/** Words whose statements do not do the same each time. */
const BRANCHES = new Set(['if', 'switch', 'for', 'while', 'do', 'try', 'throw']);

/**
 * Follows a resolver to its answer.
 *
 * @param roots - what its parameters stand for
 * @throws Dynamic when the answer depends on something
 */
export function followResolver(
  { parameters, body }: Expression & { readonly type: 'function' },
  roots: readonly string[],
  outer: Scope,
): Resolved {
  const scope = new Scope(outer);
  for (const [index, pattern] of parametersOf(parameters).entries())
    scope.bind(pattern, { of: { type: 'name', name: roots[index] ?? '@unknown' }, members: [] });
  return isRange(body) ? followStatements(body, scope) : { answer: body, scope, hasEffects: false };
}

function followStatements({ tokens, from, to }: Range, scope: Scope): Resolved {
  let delay: readonly Expression[] | undefined;
  let hasEffects = false;
  let at = from;
  while (at < to) {
    const token = tokens[at];
    if (token === undefined) break;
    if (token.text === ';') {
      at += 1;
      continue;
    }
    if (token.type === 'name' && BRANCHES.has(token.text))
      throw new Dynamic(`its answer depends on what "${token.text}" says when the code runs`);
    if (isDeclaration(token)) {
      at = Math.max(declare(tokens, at, to, scope), at + 1);
      continue;
    }
    if (token.type === 'name' && token.text === 'return') {
      const next = tokens[at + 1];
      const isEmpty = next === undefined || at + 1 >= to || next.text === ';' || next.isFirst;
      const answer: Expression = isEmpty
        ? { type: 'value', value: undefined }
        : new ExpressionReader(tokens, at + 1, to).read();
      return { answer, scope, hasEffects, ...(delay === undefined ? {} : { delay }) };
    }
    const reader = new ExpressionReader(tokens, at, to);
    const statement = reader.read();
    if (statement.type === 'call' && written(statement.callee) === 'delay') delay = statement.given;
    else if (statement.type !== 'call' || !written(statement.callee).startsWith('console.'))
      hasEffects = true;
    at = Math.max(reader.at, at + 1);
  }
  return { answer: { type: 'value', value: undefined }, scope, hasEffects };
}
