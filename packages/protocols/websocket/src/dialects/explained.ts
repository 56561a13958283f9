import { invalid } from '@backlot/core/plugin';
import { DIALECTS, FIELDS, type DialectName } from './fields.js';
import { parseDialectJson } from './json.js';
import { entryOf, unitOf, type Unit } from './unit.js';

type Entry = Readonly<Record<string, unknown>>;

/**
 * What an entry for `POST /api/explain/websocket` says in the terms of a dialect: of its own fields, or of its body as the
 * journal shows it; `undefined` when it says nothing in one.
 *
 * @throws BacklotError `invalid` for a dialect that is none, or fields that are not what they are in it
 */
export function readUnit(entry: Entry, body: string | Buffer): Unit | undefined {
  const { dialect } = entry;
  if (dialect !== undefined && !isDialect(dialect)) {
    const message = `dialect is ${JSON.stringify(dialect)}; it can be ${DIALECTS.join(', ')}`;
    throw invalid(message, [{ path: '/dialect', message }]);
  }
  const inBody = typeof body === 'string' && body.startsWith('{') ? parseDialectJson(body) : undefined;
  const fields = { ...(inBody as Entry | undefined), ...entry };
  const name = dialect ?? guess(fields);
  return name === undefined ? undefined : makeUnit(name, fields);
}

/** The path of clients of a dialect, for an entry without one. */
export function pathOf({ dialect }: Unit): string {
  return FIELDS[dialect].path ?? '/';
}

function makeUnit(dialect: DialectName, fields: Entry): Unit {
  const names = FIELDS[dialect];
  const text = (name: string, instead: string): string => {
    const value = fields[name] ?? instead;
    if (typeof value === 'string') return value;
    const message = `${name} is ${JSON.stringify(value)}; it must be a text`;
    throw invalid(message, [{ path: `/${name}`, message }]);
  };
  const room = names.room === undefined ? '' : text(names.room, names.room === 'namespace' ? '/' : '');
  const content = fields[names.content];
  if (fields[names.name] === undefined) {
    const term = dialect === 'socket.io' ? 'auth' : names.content;
    return entryOf(dialect, room, term, fields[term]);
  }
  if (names.content === 'args' && content !== undefined && !Array.isArray(content)) {
    const message = `args is ${JSON.stringify(content)}; it must be a list`;
    throw invalid(message, [{ path: '/args', message }]);
  }
  return unitOf(dialect, room, text(names.name, ''), content ?? (names.content === 'args' ? [] : {}));
}

/** The dialect whose terms are there. */
function guess(fields: Entry): DialectName | undefined {
  if (fields['topic'] !== undefined) return 'phoenix';
  if (fields['target'] !== undefined) return 'signalr';
  return fields['namespace'] !== undefined || fields['event'] !== undefined ? 'socket.io' : undefined;
}

function isDialect(value: unknown): value is DialectName {
  return DIALECTS.some((name) => name === value);
}
