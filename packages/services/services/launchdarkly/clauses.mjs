import { contextsOf, valueAt } from './contexts.mjs';

const isText = (value) => typeof value === 'string';
const texts = (test) => (a, b) => isText(a) && isText(b) && test(a, b);
const numbers = (test) => (a, b) => typeof a === 'number' && typeof b === 'number' && test(a, b);
const MAX_TEXT = 1_000;

function timeOf(value) {
  return typeof value === 'number' ? value : isText(value) ? Date.parse(value) : Number.NaN;
}

function versionOf(value) {
  const found = isText(value)
    ? /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(value)
    : null;
  if (found === null) return undefined;
  return { numbers: found.slice(1, 4).map((each) => Number(each ?? 0)), pre: found[4]?.split('.') ?? [] };
}

/** How two versions stand to each other (Semantic Versioning 2.0.0, section 11). */
function compareVersions(a, b) {
  for (const [at, number] of a.numbers.entries()) if (number !== b.numbers[at]) return number - b.numbers[at];
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at += 1) {
    const [one, other] = [a.pre[at], b.pre[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const [isNumber, isOther] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOther && Number(one) !== Number(other)) return Number(one) - Number(other);
    if (isNumber !== isOther) return isNumber ? -1 : 1;
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

const versions = (test) => (a, b) => {
  const [one, other] = [versionOf(a), versionOf(b)];
  return one !== undefined && other !== undefined && test(compareVersions(one, other));
};

const OPERATORS = {
  in: (a, b) => a === b,
  endsWith: texts((a, b) => a.endsWith(b)),
  startsWith: texts((a, b) => a.startsWith(b)),
  contains: texts((a, b) => a.includes(b)),
  matches: texts((a, b) => matchesPattern(a, b)),
  lessThan: numbers((a, b) => a < b),
  lessThanOrEqual: numbers((a, b) => a <= b),
  greaterThan: numbers((a, b) => a > b),
  greaterThanOrEqual: numbers((a, b) => a >= b),
  before: (a, b) => timeOf(a) < timeOf(b),
  after: (a, b) => timeOf(a) > timeOf(b),
  semVerEqual: versions((order) => order === 0),
  semVerLessThan: versions((order) => order < 0),
  semVerGreaterThan: versions((order) => order > 0),
};

function matchesPattern(text, source) {
  try {
    return new RegExp(source).test(text.slice(0, MAX_TEXT));
  } catch {
    return false;
  }
}

/** Whether a context is as a clause says. */
export function matches({ attribute, op, values = [], negate = false, contextKind = 'user' }, context) {
  const test = Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : () => false;
  const some = (value) => values.some((wanted) => test(value, wanted));
  if (attribute === 'kind') return contextsOf(context).some(({ kind }) => some(kind)) !== negate;
  const one = contextsOf(context).find(({ kind }) => kind === contextKind);
  const value = one === undefined ? undefined : valueAt(one, attribute);
  if (value === undefined || value === null) return false;
  return (Array.isArray(value) ? value.some(some) : some(value)) !== negate;
}
