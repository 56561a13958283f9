import type { ErrorObject } from 'ajv';
import type { Problem } from '../errors.js';
import { ELSEWHERE, JSON_BESIDE } from '../content/content-fields.js';
import { MAX_PROBLEMS } from './problem-list.js';
import { pointTo } from './pointer.js';
import { suggest } from './suggest.js';

/** Errors of the validator that are read: several of them make one problem. */
const MAX_ERRORS = 1_000;
/** What is said of a value only when its type is right. */
const SIZES: ReadonlySet<string> = new Set(['required', 'minItems', 'maxItems']);

/** Says in plain words what ajv found: where, what was given, what would be right. */
export function describeErrors(errors: readonly ErrorObject[], base: string): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of withoutUnionNoise(errors.slice(0, MAX_ERRORS))) {
    const problem = describe(error, base);
    const key = `${problem.path}\n${problem.message}`;
    if (!problems.has(key)) problems.set(key, problem);
    if (problems.size === MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

/**
 * A union that fails reports the errors of each of its branches. Where a branch got further into the value than the
 * union itself, its own errors say best what is wrong; otherwise one sentence about the union does.
 */
function withoutUnionNoise(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = [...errors];
  const unions = errors
    .filter((error) => error.keyword === 'anyOf')
    .sort((a, b) => b.schemaPath.length - a.schemaPath.length);
  for (const union of unions) {
    const branches = left.filter((error) => error !== union && isInBranch(error, union));
    const deeper = branches.filter(
      (error) =>
        error.instancePath.length > union.instancePath.length || error.keyword === 'additionalProperties',
    );
    if (deeper.length === 0) deeper.push(...wrongInOneBranch(branches, union));
    const fitting = deeper.length > 0 && fewestPerBranch(deeper, union);
    const dropped = new Set<ErrorObject>(
      fitting ? [union, ...branches.filter((error) => !fitting.includes(error))] : branches,
    );
    left = left.filter((error) => !dropped.has(error));
  }
  return left;
}

function isInBranch(error: ErrorObject, union: ErrorObject): boolean {
  return (
    error.instancePath.startsWith(union.instancePath) &&
    (error.schemaPath.startsWith(`${union.schemaPath}/`) ||
      !error.schemaPath.startsWith(union.schemaPath.split('/anyOf')[0] ?? ''))
  );
}

/** What the value lacks, or has too much of, for the only branch whose type it has. */
function wrongInOneBranch(errors: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const wrong = errors.filter(
    ({ keyword, instancePath }) => SIZES.has(keyword) && instancePath === union.instancePath,
  );
  return new Set(wrong.map((error) => branchOf(error, union))).size === 1 ? wrong : [];
}

function branchOf(error: ErrorObject, union: ErrorObject): string {
  return error.schemaPath.slice(union.schemaPath.length).split('/')[1] ?? '';
}

function fewestPerBranch(errors: readonly ErrorObject[], union: ErrorObject): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const branch = branchOf(error, union);
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  return [...branches.values()].sort((a, b) => a.length - b.length)[0] ?? [];
}

function describe(error: ErrorObject, base: string): Problem {
  const at = base + error.instancePath;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
      return { path: pointTo(at, name), message: unknownField(name, known) };
    }
    case 'required':
      return {
        path: pointTo(at, String(params['missingProperty'])),
        message: `"${String(params['missingProperty'])}" is required`,
      };
    case 'type':
      return {
        path: at,
        message: `must be ${article(params['type'])}, got ${show(error.data)}${jsonHint(error)}`,
      };
    case 'enum':
      return {
        path: at,
        message: `must be one of ${list(params['allowedValues'])}, got ${show(error.data)}`,
      };
    case 'const':
      return { path: at, message: `must be ${show(params['allowedValue'])}, got ${show(error.data)}` };
    case 'anyOf':
      return {
        path: at,
        message: `must be ${forms(error.schema)}, got ${show(error.data)}${jsonHint(error)}${elsewhereHint(error)}`,
      };
    case 'minLength':
      return {
        path: at,
        message:
          error.data === ''
            ? 'must not be empty'
            : `must have at least ${String(params['limit'])} characters, got ${show(error.data)}`,
      };
    case 'minItems':
      return { path: at, message: `must hold at least ${String(params['limit'])}, got ${show(error.data)}` };
    case 'maxItems':
      return {
        path: at,
        message: `must hold at most ${String(params['limit'])}, got a list of ${(error.data as readonly unknown[]).length}`,
      };
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return {
        path: at,
        message: `must be ${String(params['comparison'])} ${String(params['limit'])}, got ${show(error.data)}`,
      };
    default:
      return { path: at, message: `${error.message ?? 'is not valid'}, got ${show(error.data)}` };
  }
}

/** Where the JSON value that stands in place of a text belongs. */
function jsonHint({ data, parentSchema }: ErrorObject): string {
  const field: unknown = parentSchema?.[JSON_BESIDE];
  return typeof data === 'object' && data !== null && typeof field === 'string'
    ? `; a JSON value is given as "${field}", in place of this field`
    : '';
}

/** What a word is that another field, or another kind, has. */
function elsewhereHint({ data, parentSchema }: ErrorObject): string {
  const hints: unknown = parentSchema?.[ELSEWHERE];
  if (typeof data !== 'string' || typeof hints !== 'object' || hints === null) return '';
  return Object.hasOwn(hints, data) ? `; ${String((hints as Record<string, unknown>)[data])}` : '';
}

/** The message for a field that is not known, with a suggestion where one is close. */
export function unknownField(name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  if (meant !== undefined) return `unknown field "${name}"; did you mean "${meant}"?`;
  return known.length === 0
    ? `unknown field "${name}"`
    : `unknown field "${name}"; known are ${known.join(', ')}`;
}

function article(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : [String(type)];
  return names
    .map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : name === 'null' ? 'null' : `a ${name}`))
    .join(' or ');
}

function forms(schema: unknown): string {
  if (!Array.isArray(schema)) return 'of another form';
  const branches = schema as { const?: unknown; type?: unknown; title?: string }[];
  if (branches.every((branch) => branch.const !== undefined))
    return `one of ${list(branches.map((branch) => branch.const))}`;
  const names = branches.map((branch) =>
    branch.const !== undefined
      ? show(branch.const)
      : branch.type !== undefined
        ? article(branch.type)
        : (branch.title ?? 'of another form'),
  );
  return [...new Set(names)].join(' or ');
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map(show).join(', ') : show(values);
}

/** A value as a message shows it: short. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
