import type { Expression } from './expression.js';
import type { Scope } from './scope.js';

/** An expression whose value is known only when the code runs; the message says why. */
export class Dynamic extends Error {}

/** How values are made of expressions. */
export interface Evaluation {
  readonly scope: Scope;
  /** What becomes of a text that is written in the code. */
  readonly text: (text: string) => string;
  /** The template for a part of the request, where the members of something are one. */
  readonly requestPart: (root: string, members: readonly string[]) => string | undefined;
  /** Is told of names whose values were taken from elsewhere in the file. */
  readonly usesName?: (name: string) => void;
  /** How many values may still be made; it is counted down. */
  readonly budget: { left: number };
}

const DEEPEST = 100;
/** Values of one answer. */
export const MOST_VALUES = 50_000;

/**
 * The value of an expression: what JSON has, and `undefined`.
 *
 * @throws Dynamic when it is known only when the code runs
 */
export function evaluate(given: Expression, evaluation: Evaluation, depth = 0): unknown {
  const { text } = evaluation;
  if (depth > DEEPEST || (evaluation.budget.left -= 1) < 0)
    throw new Dynamic('it needs a value that is too large');
  const inner = (one: Expression): unknown => evaluate(one, evaluation, depth + 1);
  switch (given.type) {
    case 'value':
      return typeof given.value === 'string' ? text(given.value) : given.value;
    case 'joined':
      return joined(given.parts.map(inner));
    case 'array':
      return given.items.flatMap((item): unknown[] => {
        if (item.type !== 'spread') return [inner(item)];
        const value = inner(item.of);
        if (!Array.isArray(value)) throw new Dynamic('it needs a list that is known when the code runs');
        return value as unknown[];
      });
    case 'object':
      return Object.fromEntries(
        given.fields.flatMap(([name, field]): [string, unknown][] => {
          if (field.type !== 'spread') return [[name, inner(field)]];
          const value = inner(field.of);
          if (typeof value !== 'object' || Array.isArray(value))
            throw new Dynamic('it needs an object that is known when the code runs');
          return Object.entries(value ?? {});
        }),
      );
    case 'name':
    case 'member':
    case 'call':
      return reached(given, evaluation, depth);
    case 'regex':
      throw new Dynamic('it needs a regular expression as a value');
    case 'function':
      throw new Dynamic('it needs a function');
    case 'spread':
      throw new Dynamic('it needs a list that is known when the code runs');
    default:
      throw new Dynamic(`it needs ${given.what}, which is known when the code runs`);
  }
}

function joined(values: readonly unknown[]): unknown {
  const scalar = values.every(
    (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  if (!scalar) throw new Dynamic('it joins what is no text');
  if (values.every((value) => typeof value === 'number'))
    return (values as number[]).reduce((sum, value) => sum + value, 0);
  return values.map(String).join('');
}

/** What a chain of members leads to: a part of the request, or a value of the file. */
function reached(given: Expression, evaluation: Evaluation, depth: number): unknown {
  const chain = chainOf(given, evaluation.scope);
  if (chain === undefined) throw new Dynamic(`it needs ${shown(given)}, which is known when the code runs`);
  const part = evaluation.requestPart(chain.root, chain.members);
  if (part !== undefined) return part;
  const { of, members } = chain;
  if (of === undefined) throw new Dynamic(`it needs ${shown(given)}, which is known when the code runs`);
  evaluation.usesName?.(chain.root);
  let value = evaluate(of, evaluation, depth + 1);
  for (const member of members) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member))
      throw new Dynamic(`it needs ${shown(given)}, which is known when the code runs`);
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
}

/** Members from a root; calls are members with what they are given: `get(x)`. */
export interface Chain {
  readonly root: string;
  readonly members: readonly string[];
  /** What the root stands for, where it is known. */
  readonly of: Expression | undefined;
}

/** Takes a chain of members apart, through names that stand for other chains; `undefined` for what is none. */
export function chainOf(given: Expression, scope: Scope): Chain | undefined {
  let members: readonly string[] = [];
  let at = given;
  for (let steps = 0; steps < DEEPEST; steps += 1) {
    if (at.type === 'member') {
      members = [at.name, ...members];
      at = at.of;
    } else if (at.type === 'call') {
      const step = callStep(at);
      if (step === undefined) return undefined;
      members = [step, ...members];
      at = at.isNew && at.given[0] !== undefined ? at.given[0] : at.callee;
    } else if (at.type === 'name') {
      const named = scope.find(at.name);
      if (named === undefined) return { root: at.name, members, of: undefined };
      members = [...named.members, ...members];
      if (named.of.type !== 'name' && named.of.type !== 'member' && named.of.type !== 'call')
        return { root: at.name, members, of: named.of };
      at = named.of;
    } else return undefined;
  }
  return undefined;
}

/** `new URL(x)` and `x.get('name')` are members of what they are made of. */
function callStep({ callee, given, isNew }: Expression & { readonly type: 'call' }): string | undefined {
  if (isNew) return callee.type === 'name' && given.length === 1 ? `new ${callee.name}` : undefined;
  const [first, ...more] = given;
  if (first === undefined) return '()';
  return more.length === 0 && first.type === 'value' && typeof first.value === 'string'
    ? `(${first.value})`
    : undefined;
}

function shown(given: Expression): string {
  switch (given.type) {
    case 'name':
      return `"${given.name.slice(0, 100)}"`;
    case 'member':
      return `"${written(given).slice(0, 100)}"`;
    case 'call':
      return `a call of "${written(given.callee).slice(0, 100)}"`;
    default:
      return 'something';
  }
}

/** A chain as it is written, as far as it is one. */
export function written(given: Expression): string {
  if (given.type === 'name') return given.name;
  if (given.type === 'member') return `${written(given.of)}.${given.name}`.slice(0, 300);
  if (given.type === 'call') return `${written(given.callee)}()`.slice(0, 300);
  return '...';
}
