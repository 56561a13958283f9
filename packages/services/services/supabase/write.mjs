import { eachInSlices } from '../../waiting/slices.mjs';
import { rowsOf } from './api.mjs';
import { restError } from './rest-errors.mjs';

const SEQUENCE = 'supabase:sequence:';

/** Checks what is given for a row against what is said of the table. */
function checkRow({ name, columns, required = [] }, row, isWhole) {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw restError(400, 'PGRST102', 'All object keys must match');
  for (const column of Object.keys(row))
    if (columns !== undefined && !columns.includes(column))
      throw restError(
        400,
        'PGRST204',
        `Could not find the '${column}' column of '${name}' in the schema cache`,
      );
  for (const column of required)
    if ((isWhole || Object.hasOwn(row, column)) && (row[column] ?? null) === null)
      throw restError(
        400,
        '23502',
        `null value in column "${column}" of relation "${name}" violates not-null constraint`,
        `Failing row contains (${Object.values(row).join(', ')}).`,
      );
}

function checkForeignKeys(context, { name, foreign_keys: keys = [] }, row) {
  for (const { column, table, references = 'id' } of keys) {
    const value = row[column] ?? null;
    if (value === null) continue;
    const rows = rowsOf(context, table);
    const found =
      references === rows.key
        ? rows.has(String(value)) && rows.get(String(value))[references] === value
        : rows.list().some((one) => one[references] === value);
    if (!found)
      throw restError(
        409,
        '23503',
        `insert or update on table "${name}" violates foreign key constraint "${name}_${column}_fkey"`,
        `Key (${column})=(${value}) is not present in table "${table}".`,
      );
  }
}

/** The row that has the same values in these columns. */
function sameIn(rows, columns, row) {
  if (columns.some((column) => (row[column] ?? null) === null)) return undefined;
  return rows.find((one) => columns.every((column) => String(one[column]) === String(row[column])));
}

function checkUnique({ name, unique = [] }, rows, row, key) {
  if (unique.length === 0) return;
  const present = rows();
  for (const columns of unique) {
    const same = sameIn(present, columns, row);
    if (same !== undefined && (row[key] === undefined || String(same[key]) !== String(row[key])))
      throw duplicate(name, columns, row);
  }
}

function duplicate(name, columns, row) {
  const values = columns.map((column) => row[column]).join(', ');
  return restError(
    409,
    '23505',
    `duplicate key value violates unique constraint "${name}_${columns.join('_')}_key"`,
    `Key (${columns.join(', ')})=(${values}) already exists.`,
  );
}

/** The next number of a table, above all that it has. */
function nextNumber(context, table, highest) {
  const known = Number(context.state.get(SEQUENCE + table) ?? 0);
  const next = Math.max(known, highest) + 1;
  context.state.set(SEQUENCE + table, String(next));
  return next;
}

/**
 * Puts rows into a table, all of them or none.
 *
 * @param conflict - the columns that tell rows apart, where rows that are there are merged or left alone
 * @returns the rows, what was there before in their places, and what takes it all back
 */
export function insertRows(context, about, given, { conflict, resolution }) {
  const { name, key_type: keyType = 'number', defaults = {} } = about;
  const collection = rowsOf(context, name);
  const { key } = collection;
  const columns = conflict === undefined ? [key] : String(conflict).split(',');
  const present = collection.list();
  const [made, before] = [[], []];
  const undo = undoer(collection, made, before);
  let most;
  const note = (row) => {
    if (typeof row[key] === 'number' && row[key] > most) most = row[key];
  };
  // Rows are gone through once, and only where one comes without a key.
  const highest = () => {
    if (most === undefined) {
      most = 0;
      for (const row of present) note(row);
      for (const row of made) note(row);
    }
    return most;
  };
  const presentAs = (one) => {
    if (columns.length !== 1 || columns[0] !== key) return sameIn([...present, ...made], columns, one);
    const id = String(one[key] ?? '');
    return collection.has(id) ? collection.get(id) : undefined;
  };
  try {
    for (const one of given) {
      const same = resolution === undefined ? undefined : presentAs(one);
      if (same !== undefined && resolution === 'ignore-duplicates') continue;
      if (same !== undefined) {
        checkRow(about, one, false);
        checkForeignKeys(context, about, one);
        const row = collection.update(String(same[key]), one);
        made.push(row);
        before.push(same);
        continue;
      }
      const whole = { ...defaultsOf(context, defaults), ...one };
      checkRow(about, whole, true);
      checkUnique(about, () => [...present, ...made], whole, key);
      checkForeignKeys(context, about, whole);
      const id =
        whole[key] ?? (keyType === 'uuid' ? context.random.uuid() : nextNumber(context, name, highest()));
      if (collection.has(String(id))) throw duplicateKey(name, key, id);
      const row = collection.create({ ...whole, [key]: id });
      if (most !== undefined) note(row);
      made.push(row);
      before.push(undefined);
    }
  } catch (thrown) {
    undo();
    throw thrown;
  }
  return { made, before, undo };
}

/** Makes what takes changes back, as the end of a transaction that fails. What others have changed since then stays. */
function undoer(collection, made, before) {
  return () => {
    // A row may have been changed more than once.
    const restored = new Map();
    for (let at = made.length - 1; at >= 0; at -= 1) {
      const id = String(made[at][collection.key]);
      const own = restored.get(id) ?? made[at];
      if (!collection.has(id) || collection.get(id) !== own) continue;
      if (before[at] === undefined) collection.remove(id);
      else restored.set(id, collection.replace(id, before[at]));
    }
  };
}

function duplicateKey(name, key, id) {
  return restError(
    409,
    '23505',
    `duplicate key value violates unique constraint "${name}_pkey"`,
    `Key (${key})=(${id}) already exists.`,
  );
}

function defaultsOf(context, defaults) {
  const made = {};
  for (const [column, value] of Object.entries(defaults))
    made[column] = value === 'now()' ? new Date(context.clock.now()).toISOString() : value;
  return made;
}

/**
 * Changes rows, all of them or none. Others have their turn while many are changed, so each is looked at again right before.
 *
 * @param current - gives a row as it is now; `undefined` for one that is left alone
 * @returns as {@link insertRows}
 */
export async function updateRows(context, about, rows, fields, current) {
  checkRow(about, fields, false);
  const collection = rowsOf(context, about.name);
  const { key } = collection;
  // The fields are the same for all rows.
  if (rows.length > 0) checkForeignKeys(context, about, fields);
  const unique = (about.unique ?? []).filter((columns) => columns.some((one) => Object.hasOwn(fields, one)));
  const [made, before] = [[], []];
  const undo = undoer(collection, made, before);
  const change = (given) => {
    const row = current(given);
    if (row === undefined) return;
    const next = { ...row, ...fields };
    if (fields[key] !== undefined && String(fields[key]) !== String(row[key]))
      throw restError(400, '0A000', `the key "${key}" of a row cannot be changed here`);
    checkUnique({ ...about, unique }, () => collection.list(), next, key);
    made.push(collection.replace(String(row[key]), next));
    before.push(row);
  };
  try {
    // Each row is compared with all where columns must be unique.
    await eachInSlices(rows, change, unique.length > 0 ? 1 : undefined);
  } catch (thrown) {
    undo();
    throw thrown;
  }
  return { made, before, undo };
}
