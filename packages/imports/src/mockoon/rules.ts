import type { ImportNotes } from '@backlot/core/plugin';
import { escapeRegex, exactly } from '../shared/answer.js';
import { pointTo, textOf, type Tree } from '@backlot/contracts';

/** What a rule adds to a request. */
type Condition = Readonly<Record<string, unknown>>;

/** The rules of a response as conditions of a request; `undefined` when a mock cannot ask for them. */
export function conditionsOf(
  rules: readonly Tree[],
  isAll: boolean,
  path: string,
  notes: ImportNotes,
  place: string,
): Condition | undefined {
  const conditions = rules.slice(0, 100).map((rule) => conditionOf(rule, path));
  const known = conditions.filter((one) => one !== undefined);
  const unknown = rules.find((_rule, index) => conditions[index] === undefined);
  if (unknown !== undefined)
    notes.refused(
      pointTo(place, 'responses'),
      `a rule on ${String(textOf(unknown['target'])).slice(0, 40)} (${String(textOf(unknown['operator'])).slice(0, 40)}) is none that a mock can ask for; an answer that needs it is left out`,
    );
  if (known.length === 0 || (isAll && unknown !== undefined)) return undefined;
  if (known.length === 1) return known[0];
  return isAll ? together(known) : { any_of: known };
}

function together(conditions: readonly Condition[]): Condition {
  const merged: Record<string, unknown> = {};
  for (const one of conditions) {
    for (const [name, value] of Object.entries(one)) {
      const before = merged[name];
      merged[name] =
        typeof before === 'object' && before !== null && typeof value === 'object' && name !== 'body'
          ? { ...before, ...value }
          : name === 'body' && before !== undefined
            ? { all_of: [before, value] }
            : value;
    }
  }
  return merged;
}

function conditionOf(rule: Tree, path: string): Condition | undefined {
  const target = textOf(rule['target']);
  const modifier = (textOf(rule['modifier']) ?? '').replace(/^\$\.?/, '');
  const pattern = patternOf(rule);
  if (pattern === undefined) return undefined;
  switch (target) {
    case 'header':
      return { headers: { [modifier]: pattern } };
    case 'query':
      // A place in a query has brackets here: obj.prop is sent as obj[prop].
      return { query: { [modifier.replaceAll(/\.(\w+)/g, '[$1]')]: pattern } };
    case 'cookie':
      return { cookies: { [modifier]: pattern } };
    case 'method':
      return rule['operator'] === 'equals' && rule['invert'] !== true
        ? { method: (textOf(rule['value']) ?? '').toUpperCase() }
        : undefined;
    case 'params':
      return parameterCondition(rule, modifier, path);
    case 'body':
      if (modifier === '') return { body: pattern };
      return /^[\w.-]+$/.test(modifier) ? { body_json: { [modifier]: pattern } } : undefined;
    default:
      return undefined;
  }
}

function patternOf(rule: Tree): string | Tree | undefined {
  const value = textOf(rule['value']) ?? '';
  const positive = ((): string | Tree | undefined => {
    switch (rule['operator']) {
      case 'equals':
      case undefined:
        return exactly(value);
      case 'regex':
        return { regex: value };
      case 'regex_i':
        return { regex: `(?i)${value}` };
      case 'null':
        return { absent: true };
      case 'empty_array':
        return { length: 0 };
      case 'array_includes':
        return { some: exactly(value) };
      default:
        return undefined;
    }
  })();
  return positive === undefined || rule['invert'] !== true ? positive : { not: positive };
}

/** A rule on a name in the path: the path is then asked for with what the rule says in the place of the name. */
function parameterCondition(rule: Tree, name: string, path: string): Condition | undefined {
  const value = textOf(rule['value']) ?? '';
  const own = `{${name}}`;
  if (!path.split('/').includes(own) || rule['invert'] === true) return undefined;
  if (rule['operator'] === 'equals') {
    return /[*{}/]/.test(value) ? undefined : { path: path.replace(own, () => value) };
  }
  if (rule['operator'] !== 'regex') return undefined;
  const head = value.startsWith('^') ? '' : '[^/]*';
  const tail = value.endsWith('$') ? '' : '[^/]*';
  const inner = `${head}(?:${value.replaceAll(/^\^|\$$/g, '')})${tail}`;
  const parts = path
    .split('/')
    .map((part) => (part === own ? inner : part.startsWith('{') ? '[^/]+' : escapeRegex(part)));
  return { path: undefined, path_regex: `^${parts.join('/')}$` };
}
