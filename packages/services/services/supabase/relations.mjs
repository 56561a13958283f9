import { rowsOf } from './api.mjs';
import { restError } from './rest-errors.mjs';

/** What is said of a table; `undefined` for one of which nothing is said and that has no rows. */
export function tableOf(context, name) {
  const tables = rowsOf(context, 'tables');
  if (tables.has(name)) return tables.get(name);
  return !name.includes('.') && !INTERNAL.has(name) && rowsOf(context, name).size > 0 ? { name } : undefined;
}

/** Collections of the service that are no tables. */
const INTERNAL = new Set(['tables', 'rpc', 'functions']);

export function requireTable(context, name) {
  const table = tableOf(context, name);
  if (table !== undefined) return table;
  const known = rowsOf(context, 'tables')
    .list()
    .map((one) => one.name);
  const near = known.find((one) => one.startsWith(name.slice(0, 3)));
  throw restError(
    404,
    'PGRST205',
    `Could not find the table 'public.${name}' in the schema cache`,
    null,
    near === undefined ? null : `Perhaps you meant the table 'public.${near}'`,
  );
}

/** The foreign keys of a table: those that are declared, else columns `author_id` that are called as a table. */
function keysOf(context, table) {
  const { foreign_keys: declared = [] } = tableOf(context, table) ?? {};
  return declared.map(({ column, table: target, references = 'id', name }) => ({
    name: name ?? `${table}_${column}_fkey`,
    column,
    target,
    references,
  }));
}

/**
 * How the rows of a table belong to those of another: by a foreign key of the one, of the other, or of a table between both.
 *
 * @param hint - the foreign key or the column, where there are several
 */
export function relate(context, from, to, hint) {
  const fits = ({ name, column, target }) => hint === undefined || [name, column, target].includes(hint);
  const isTable = tableOf(context, to) !== undefined;
  const out = keysOf(context, from).filter((key) => key.target === to && fits(key));
  // A foreign key may be named in place of the table.
  const named = isTable ? [] : keysOf(context, from).filter((key) => key.column === to || key.name === to);
  const back = keysOf(context, to).filter((key) => key.target === from && fits(key));
  const found = [
    ...[...out, ...named].map(({ column, references, target }) => ({
      isMany: false,
      target,
      pairs: [[column, references]],
    })),
    ...back.map(({ column, references }) => ({ isMany: true, target: to, pairs: [[references, column]] })),
    ...(out.length + back.length > 0 ? [] : between(context, from, to, hint)),
  ];
  if (found.length === 1) return found[0];
  if (found.length === 0)
    throw restError(
      400,
      'PGRST200',
      `Could not find a relationship between '${from}' and '${to}' in the schema cache`,
      `Searched for a foreign key relationship between '${from}' and '${to}' in the schema 'public', but no matches were found.`,
    );
  throw restError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${from}' and '${to}'`,
    null,
    `Try changing '${to}' to one of the following: ${[...out, ...back].map(({ name }) => `'${to}!${name}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
  );
}

function between(context, from, to, hint) {
  return rowsOf(context, 'tables')
    .list()
    .filter(({ name }) => hint === undefined || hint === name)
    .flatMap(({ name }) => {
      const keys = keysOf(context, name);
      const [one, other] = [from, to].map((table) => keys.find(({ target }) => target === table));
      if (one === undefined || other === undefined || one === other) return [];
      return [{ isMany: true, target: to, through: { table: name, one, other } }];
    });
}

/** Rows by the value of a column, made once for all rows that something is embedded in. */
function indexOf(rows, column) {
  const index = new Map();
  for (const row of rows) {
    const value = row[column] ?? null;
    if (index.has(value)) index.get(value).push(row);
    else index.set(value, [row]);
  }
  return index;
}

/** The rows that belong to one row. */
export function related(context, relation, row) {
  const { target, pairs, through } = relation;
  if (through === undefined) {
    const [[own, theirs]] = pairs;
    relation.index ??= indexOf(rowsOf(context, target).list(), theirs);
    const value = row[own] ?? null;
    return value === null ? [] : (relation.index.get(value) ?? []);
  }
  const { table, one, other } = through;
  relation.links ??= indexOf(rowsOf(context, table).list(), one.column);
  relation.index ??= indexOf(rowsOf(context, target).list(), other.references);
  const links = relation.links.get(row[one.references]) ?? [];
  return links.flatMap((link) => relation.index.get(link[other.column]) ?? []);
}
