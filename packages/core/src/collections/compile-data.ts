import type { CompileTools, Pointer } from '../contract/tools.js';
import { parseJsonPath } from '../patterns/json-path.js';
import type { Template } from '../templates/template.js';
import { isKnownName } from '../templates/known-names.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import {
  ACTIONS,
  NOTHING_FOUND,
  type Action,
  type Condition,
  type MockData,
  type Operation,
  type RowTemplate,
} from './operation.js';

const MAX_CONDITIONS = 100;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The actions that a field says something to. */
const USES: Readonly<Record<string, readonly Action[]>> = {
  value: ['create', 'update', 'replace', 'upsert'],
  where: ['get', 'update', 'replace', 'delete', 'take', 'list'],
  sort: ['get', 'update', 'replace', 'delete', 'take', 'list'],
  limit: ['take', 'list'],
  offset: ['list'],
  after: ['list'],
  hide: ['take'],
};

/** Compiles the fields `collection` and `once` of a mock; absent when it has neither. */
export function compileData(
  mock: Readonly<Record<string, unknown>>,
  tools: CompileTools,
): MockData | undefined {
  const { collection, once } = mock;
  if (collection === undefined && once === undefined) return undefined;
  const names = namesOf(collection);
  checkNames(names, tools);
  return {
    operations: placesOf(collection).flatMap(([at, given]) => compileOperation(given, at, tools) ?? []),
    once: isObject(once)
      ? {
          key: textOf(once['key'], '/once/key', tools) ?? tools.template('', '/once/key'),
          same: textOf(once['same'], '/once/same', tools),
        }
      : undefined,
  };
}

/** The names that templates see of what the operations of a mock find; none for a mock without one. */
export function namesFound(collection: unknown): readonly string[] {
  if (collection === undefined) return [];
  return [...Object.keys(NOTHING_FOUND), ...namesOf(collection).map(([, name]) => name)];
}

/** The operations of a mock, each with its place. What has another form the schema refuses. */
function placesOf(collection: unknown): readonly (readonly [Pointer, Readonly<Record<string, unknown>>])[] {
  if (isObject(collection)) return [['/collection', collection]];
  const list: readonly unknown[] = Array.isArray(collection) ? collection : [];
  return list.flatMap((given, index) =>
    isObject(given) ? [[pointTo('/collection', index), given] as const] : [],
  );
}

/** The names that the operations give to what they find, each with its place. */
function namesOf(collection: unknown): readonly (readonly [Pointer, string])[] {
  return placesOf(collection).flatMap(([at, { as }]) =>
    typeof as === 'string' ? [[pointTo(at, 'as'), as] as const] : [],
  );
}

function checkNames(names: readonly (readonly [Pointer, string])[], tools: CompileTools): void {
  const taken = new Set(Object.keys(NOTHING_FOUND));
  for (const [at, name] of names) {
    if (!NAME.test(name))
      tools.problem(at, `must be a name such as "customer", of letters, digits and _; got ${show(name)}`);
    else if (taken.has(name) || isKnownName(name))
      tools.problem(at, `"${name}" means something else in templates; take another name`);
    taken.add(name);
  }
}

function compileOperation(
  given: Readonly<Record<string, unknown>>,
  at: Pointer,
  tools: CompileTools,
): Operation | undefined {
  const named = ACTIONS.filter((action) => given[action] !== undefined);
  const [action] = named;
  if (action === undefined || named.length > 1) {
    tools.problem(
      at,
      `must say one thing to do, ${ACTIONS.join(', ')}; got ${named.length === 0 ? 'none' : named.join(' and ')}`,
    );
    return undefined;
  }
  for (const [field, actions] of Object.entries(USES)) {
    if (given[field] !== undefined && !actions.includes(action))
      tools.problem(pointTo(at, field), `means nothing to "${action}"; it goes with ${actions.join(', ')}`);
  }
  const key =
    typeof given[action] === 'string' ? textOf(given[action], pointTo(at, action), tools) : undefined;
  if (key !== undefined && given['where'] !== undefined)
    tools.problem(`${at}/where`, `goes with "${action}: true", not with a key`);
  if (given['value'] === undefined && ['update', 'replace', 'upsert'].includes(action))
    tools.problem(at, `"${action}" needs a "value", such as "{{request.body}}"`);
  if (
    key === undefined &&
    given['where'] === undefined &&
    ['update', 'replace', 'delete', 'get'].includes(action)
  )
    tools.problem(pointTo(at, action), 'needs a key, such as "{{request.params.id}}", or a "where"');
  return {
    collection: String(given['name']),
    as: typeof given['as'] === 'string' ? given['as'] : undefined,
    action,
    key,
    value: compileRow(given['value'], `${at}/value`, tools),
    where: compileWhere(given['where'], `${at}/where`, tools),
    sort: [given['sort'] ?? []].flat().flatMap((source, index) => {
      const place = Array.isArray(given['sort']) ? pointTo(`${at}/sort`, index) : `${at}/sort`;
      return textOf(source, place, tools) ?? [];
    }),
    limit: textOf(given['limit'], `${at}/limit`, tools),
    offset: textOf(given['offset'], `${at}/offset`, tools),
    after: textOf(given['after'], `${at}/after`, tools),
    hide: typeof given['hide'] === 'string' ? tools.duration(given['hide'], `${at}/hide`) : undefined,
  };
}

function textOf(source: unknown, at: string, tools: CompileTools): Template | undefined {
  if (typeof source === 'number') return tools.template(String(source), at, { target: 'text' });
  return typeof source === 'string' ? tools.template(source, at, { target: 'text' }) : undefined;
}

function compileRow(source: unknown, at: Pointer, tools: CompileTools): RowTemplate | undefined {
  if (source === undefined) return undefined;
  if (!isObject(source)) return { whole: tools.value(source, at) };
  const fields = new Map(
    Object.entries(source).map(([name, value]) => [name, tools.value(value, pointTo(at, name))]),
  );
  return { fields };
}

function compileWhere(source: unknown, at: Pointer, tools: CompileTools): readonly Condition[] {
  if (!isObject(source)) return [];
  const conditions = Object.entries(source);
  if (conditions.length > MAX_CONDITIONS)
    tools.problem(at, `must hold at most ${MAX_CONDITIONS}, got ${conditions.length}`);
  return conditions.map(([place, wanted]) => {
    const steps = parseJsonPath(place);
    const where = pointTo(at, place);
    if (isObject(wanted)) return { place, steps, pattern: tools.pattern(wanted, where) };
    if (typeof wanted === 'string' && !wanted.includes('{{'))
      return { place, steps, pattern: tools.pattern(wanted, where) };
    if (Array.isArray(wanted))
      tools.problem(where, `must be a value, a pattern or a template, got ${show(wanted)}`);
    return { place, steps, value: tools.value(wanted, where) };
  });
}
