import type { CompileTools } from '../contract/tools.js';
import { parseJsonPath } from '../patterns/json-path.js';
import type { Template } from '../templates/template.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import {
  ACTIONS,
  type Action,
  type Condition,
  type MockData,
  type Operation,
  type RowTemplate,
} from './operation.js';

const MAX_CONDITIONS = 100;
const AT = '/collection';
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
  return {
    // What has another form the schema refuses.
    operation: isObject(collection) ? compileOperation(collection, tools) : undefined,
    once: isObject(once)
      ? {
          key: textOf(once['key'], '/once/key', tools) ?? tools.template('', '/once/key'),
          same: textOf(once['same'], '/once/same', tools),
        }
      : undefined,
  };
}

function compileOperation(
  given: Readonly<Record<string, unknown>>,
  tools: CompileTools,
): Operation | undefined {
  const named = ACTIONS.filter((action) => given[action] !== undefined);
  const [action] = named;
  if (action === undefined || named.length > 1) {
    tools.problem(
      AT,
      `must say one thing to do, ${ACTIONS.join(', ')}; got ${named.length === 0 ? 'none' : named.join(' and ')}`,
    );
    return undefined;
  }
  for (const [field, actions] of Object.entries(USES)) {
    if (given[field] !== undefined && !actions.includes(action))
      tools.problem(pointTo(AT, field), `means nothing to "${action}"; it goes with ${actions.join(', ')}`);
  }
  const key =
    typeof given[action] === 'string' ? textOf(given[action], pointTo(AT, action), tools) : undefined;
  if (key !== undefined && given['where'] !== undefined)
    tools.problem(`${AT}/where`, `goes with "${action}: true", not with a key`);
  if (given['value'] === undefined && ['update', 'replace', 'upsert'].includes(action))
    tools.problem(AT, `"${action}" needs a "value", such as "{{request.body}}"`);
  if (
    key === undefined &&
    given['where'] === undefined &&
    ['update', 'replace', 'delete', 'get'].includes(action)
  )
    tools.problem(pointTo(AT, action), 'needs a key, such as "{{request.params.id}}", or a "where"');
  return {
    collection: String(given['name']),
    action,
    key,
    value: compileRow(given['value'], tools),
    where: compileWhere(given['where'], tools),
    sort: [given['sort'] ?? []].flat().flatMap((place, index) => {
      const at = Array.isArray(given['sort']) ? pointTo(`${AT}/sort`, index) : `${AT}/sort`;
      return textOf(place, at, tools) ?? [];
    }),
    limit: textOf(given['limit'], `${AT}/limit`, tools),
    offset: textOf(given['offset'], `${AT}/offset`, tools),
    after: textOf(given['after'], `${AT}/after`, tools),
    hide: typeof given['hide'] === 'string' ? tools.duration(given['hide'], `${AT}/hide`) : undefined,
  };
}

function textOf(source: unknown, at: string, tools: CompileTools): Template | undefined {
  if (typeof source === 'number') return tools.template(String(source), at, { target: 'text' });
  return typeof source === 'string' ? tools.template(source, at, { target: 'text' }) : undefined;
}

function compileRow(source: unknown, tools: CompileTools): RowTemplate | undefined {
  if (source === undefined) return undefined;
  const at = `${AT}/value`;
  if (!isObject(source)) return { whole: tools.value(source, at) };
  const fields = new Map(
    Object.entries(source).map(([name, value]) => [name, tools.value(value, pointTo(at, name))]),
  );
  return { fields };
}

function compileWhere(source: unknown, tools: CompileTools): readonly Condition[] {
  if (!isObject(source)) return [];
  const conditions = Object.entries(source);
  const at = `${AT}/where`;
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
