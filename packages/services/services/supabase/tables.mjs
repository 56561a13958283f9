import { eachInSlices } from '../../waiting/slices.mjs';
import { callerOf, operation, rowsOf, timeOf } from './api.mjs';
import { test } from './conditions.mjs';
import { checkShape, currentIn, find, parseQuery, shape } from './read.mjs';
import { requireTable } from './relations.mjs';
import { badQuery, restError } from './rest-errors.mjs';
import { tellChange } from './realtime.mjs';
import { insertRows, updateRows } from './write.mjs';

/** Makes the function of a mock of the REST API: it knows who calls, and what they prefer. */
export function restOperation(act) {
  return operation((request, context) => {
    const caller = callerOf(request, context, (reason) =>
      reason.includes('expired')
        ? restError(401, 'PGRST303', 'JWT expired')
        : restError(401, 'PGRST301', `No suitable key or wrong key type (the token ${reason})`),
    );
    return act({ request, context, caller, prefer: preferencesOf(request) });
  }, refusalOf);
}

/** Errors of collections, as PostgreSQL has them. */
function refusalOf({ code, message }) {
  if (code === 'conflict')
    return restError(409, '23505', 'duplicate key value violates unique constraint', message);
  if (code === 'invalid') return restError(400, '22P02', message);
  if (code === 'too_large') return restError(500, '53100', message);
  return undefined;
}

function preferencesOf({ headers }) {
  const found = {};
  for (const part of String(headers.prefer ?? '').split(',')) {
    const [name, value = ''] = part.trim().split('=');
    if (name !== '') found[name] = value;
  }
  return found;
}

/** What is answered: rows, one row where the client wants one, or a table of text. */
export function answer({ request, prefer }, { rows, total, offset = 0 }, status = 200) {
  const accept = String(request.headers.accept ?? '');
  const hasCount = prefer.count !== undefined;
  const range = rows.length === 0 ? '*' : `${offset}-${offset + rows.length - 1}`;
  const headers = {
    'Content-Range': `${range}/${hasCount ? total : '*'}`,
    ...(hasCount ? { 'Preference-Applied': `count=${prefer.count}` } : {}),
  };
  if (hasCount && offset > 0 && offset >= total && status === 200)
    throw restError(
      416,
      'PGRST103',
      'Requested range not satisfiable',
      `An offset of ${offset} was requested, but there are only ${total} rows.`,
    );
  const isPart = hasCount && rows.length < total;
  const code = status === 200 && isPart ? 206 : status;
  if (accept.includes('application/vnd.pgrst.object')) {
    if (rows.length !== 1)
      throw restError(
        406,
        'PGRST116',
        'Cannot coerce the result to a single JSON object',
        `The result contains ${rows.length} rows`,
      );
    return {
      status: code,
      headers: { ...headers, 'Content-Type': 'application/vnd.pgrst.object+json; charset=utf-8' },
      body: JSON.stringify(rows[0]),
    };
  }
  if (accept.includes('text/csv'))
    return {
      status: code,
      headers: { ...headers, 'Content-Type': 'text/csv; charset=utf-8' },
      body: csvOf(rows),
    };
  if (/vnd\.pgrst\.plan|geo\+json|octet-stream/.test(accept))
    throw restError(406, 'PGRST107', `None of these media types are available: ${accept}`);
  return { status: code, headers, json: rows };
}

function csvOf(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) => {
    if (value === null || value === undefined) return '';
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names.join(','), ...rows.map((row) => names.map((name) => cell(row[name])).join(','))].join('\n');
}

export const select = restOperation(async (call) => {
  const { request, context } = call;
  const { table } = request.params;
  requireTable(context, table);
  const node = parseQuery(request.query);
  const { rows, total } = await shape(context, table, await find(context, table, node), node);
  const made = answer(call, { rows, total, offset: node.offset });
  return request.method === 'HEAD' ? { status: made.status, headers: made.headers } : made;
});

/**
 * Prepares the answer to a change: the rows as they are asked for, or nothing. What is asked for is checked before anything
 * changes.
 *
 * @returns makes the answer from the rows and the status
 */
function answerOfChange(call, table) {
  const { request, context, prefer } = call;
  if (prefer.return !== 'representation')
    return (rows, status) => {
      const count = prefer.count === undefined ? '*' : rows.length;
      return { status: status === 201 ? 201 : 204, headers: { 'Content-Range': `*/${count}` } };
    };
  const node = parseQuery({ select: request.query.select ?? '*', ...orderOf(request.query) });
  checkShape(context, table, node);
  return async (rows, status) => answer(call, await shape(context, table, rows, node), status);
}

/** Answers a change that was made, and tells of it; where it cannot be answered as it is asked for, it is taken back. */
async function changed({ context }, table, { made, before, undo }, respond) {
  let answered;
  try {
    answered = await respond();
  } catch (thrown) {
    undo();
    throw thrown;
  }
  for (const [index, row] of made.entries())
    tellChange(context, table, before[index] === undefined ? 'INSERT' : 'UPDATE', row, before[index]);
  return answered;
}

const orderOf = ({ order, limit }) => ({
  ...(order === undefined ? {} : { order }),
  ...(limit === undefined ? {} : { limit }),
});

function bodyOf({ body }) {
  if (typeof body !== 'object' || body === null) throw restError(400, 'PGRST102', 'Empty or invalid json');
  return body;
}

export const insert = restOperation((call) => {
  const { request, context, prefer } = call;
  const { table } = request.params;
  const about = requireTable(context, table);
  const respond = answerOfChange(call, table);
  const change = insertRows(context, about, [bodyOf(request)].flat(), {
    conflict: request.query.on_conflict,
    resolution: prefer.resolution,
  });
  const status = change.before.some((one) => one !== undefined) ? 200 : 201;
  return changed(call, table, change, () => respond(change.made, status));
});

export const update = restOperation(async (call) => {
  const { request, context } = call;
  const { table } = request.params;
  const about = requireTable(context, table);
  const node = parseQuery(request.query);
  const respond = answerOfChange(call, table);
  const rows = limited(await find(context, table, node), node);
  const change = await updateRows(context, about, rows, bodyOf(request), currentIn(context, table, node));
  return changed(call, table, change, () => respond(change.made, 200));
});

export const remove = restOperation(async (call) => {
  const { request, context } = call;
  const { table } = request.params;
  requireTable(context, table);
  const node = parseQuery(request.query);
  if (node.conditions.length === 0) throw restError(400, '21000', 'DELETE requires a WHERE clause');
  const respond = answerOfChange(call, table);
  const rows = limited(await find(context, table, node), node);
  // Where it cannot be answered as it is asked for, nothing is removed.
  const answered = await respond(rows, 200);
  const collection = rowsOf(context, table);
  const current = currentIn(context, table, node);
  const gone = [];
  await eachInSlices(rows, (given) => {
    const row = current(given);
    if (row === undefined) return;
    collection.remove(String(row[collection.key]));
    gone.push(row);
    tellChange(context, table, 'DELETE', undefined, row);
  });
  const isAsShown = gone.length === rows.length && gone.every((row, index) => row === rows[index]);
  return isAsShown ? answered : respond(gone, 200);
});

function limited(rows, { limit }) {
  return limit === undefined ? rows : rows.slice(0, limit);
}

/** Calls a function of the database: a row of `rpc` has its result. */
export const call = restOperation(async (one) => {
  const { request, context } = one;
  const { name } = request.params;
  const functions = rowsOf(context, 'rpc');
  const isRead = request.method !== 'POST';
  const given = isRead
    ? request.query
    : request.raw_body === undefined || request.raw_body.length === 0
      ? {}
      : bodyOf(request);
  if (!functions.has(name)) {
    const names = Object.keys(given).filter((key) => !/^(select|order|limit|offset)$/.test(key));
    throw restError(
      404,
      'PGRST202',
      `Could not find the function public.${name}${names.length === 0 ? ' without parameters' : `(${names.join(', ')})`} in the schema cache`,
      `Searched for the function public.${name}, but no matches were found in the schema cache.`,
    );
  }
  const about = functions.get(name);
  functions.update(name, {
    calls: [...(about.calls ?? []), { at: timeOf(context), arguments: given }].slice(-100),
  });
  const { error, result = null } = about;
  if (error !== undefined)
    throw restError(
      error.status ?? 400,
      error.code ?? 'P0001',
      error.message ?? '',
      error.details ?? null,
      error.hint ?? null,
    );
  if (!Array.isArray(result) || result.some((row) => typeof row !== 'object' || row === null)) {
    if (result === null && about.returns === 'void') return { status: 204 };
    return { json: result };
  }
  const { select, order, limit, offset, ...rest } = request.query;
  // The arguments of a call that reads stand among the filters.
  const filters = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => !isRead || isCondition(value)),
  );
  if (typeof select === 'string' && /\(/.test(select))
    throw badQuery('select parameter', 'results of functions embed nothing');
  const node = parseQuery(
    Object.fromEntries(
      Object.entries({ select, order, limit, offset, ...filters }).filter(([, value]) => value !== undefined),
    ),
  );
  return answer(one, { ...(await shapeResult(context, result, node)), offset: node.offset });
});

function shapeResult(context, result, node) {
  const passing = result.filter((row) => node.conditions.every((condition) => test(condition, row) === true));
  return shape(context, '', passing, { ...node, conditions: [] });
}

const isCondition = (value) => /^(not\.)?[a-z]+(\((any|all)\))?\./.test(String([value].flat()[0]));
