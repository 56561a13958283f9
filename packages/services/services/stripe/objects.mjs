import { invalid, operation } from './api.mjs';
import { expanded } from './expand.mjs';
import { RESOURCES } from './resources.mjs';
import { change, create as add, find, page, rowsOf, tell } from './rows.mjs';

/** The name of the rows that a path is about: `/stripe/v1/checkout/sessions/cs_1` is `checkout_sessions`. */
function nameOf({ path, params }) {
  const steps = path.split('/').slice(3);
  const end = steps.indexOf(params.id);
  return (end < 0 ? steps : steps.slice(0, end)).join('_');
}

export const list = operation(({ params, expand, request, context }) => {
  const name = nameOf(request);
  const { filters = [] } = RESOURCES[name] ?? {};
  const { limit, starting_after, ending_before, created, ...wanted } = params;
  for (const param of Object.keys(wanted)) if (!filters.includes(param)) throw unknown(param);
  const rows = rowsOf(context, name)
    .list()
    .filter((row) => Object.entries(wanted).every(([field, value]) => fits(row, field, value)));
  const url = request.path.replace(/^\/stripe/, '');
  return expanded(context, page(rows, { limit, starting_after, ending_before, created }, url), expand);
});

function fits(row, field, value) {
  if (field === 'types') return [value].flat().includes(row.type);
  if (field === 'ids' || field === 'lookup_keys')
    return [value].flat().includes(row[field === 'ids' ? 'id' : 'lookup_key']);
  return String(row[field]) === String(value);
}

export const retrieve = operation(({ ids, expand, request, context }) =>
  expanded(context, find(context, nameOf(request), ids.id), expand),
);

export const create = operation(({ params, expand, request, context }) => {
  const name = nameOf(request);
  const { required } = RESOURCES[name];
  checkParams(name, params);
  for (const param of required)
    if (params[param] === undefined || params[param] === null) throw needed(param);
  return expanded(context, addTo(context, name, withoutNothing(params)), expand);
});

/** Adds an object of a kind that needs nothing but its parameters. */
export function addTo(context, name, params) {
  const { events } = RESOURCES[name];
  return add(context, name, params, events && `${events}.created`);
}

export const update = operation(({ params, ids, expand, request, context }) => {
  const name = nameOf(request);
  checkParams(name, params);
  const row = find(context, name, ids.id);
  const { events } = RESOURCES[name];
  const fields = { ...params, ...metadataOf(row, params) };
  return expanded(context, change(context, name, ids.id, fields, events && `${events}.updated`), expand);
});

export const remove = operation(({ ids, request, context }) => {
  const name = nameOf(request);
  const row = find(context, name, ids.id);
  rowsOf(context, name).remove(ids.id);
  const { events } = RESOURCES[name];
  if (events !== undefined) tell(context, `${events}.deleted`, row);
  return { id: ids.id, object: row.object, deleted: true };
});

/** @throws what Stripe answers to a parameter that it does not know */
export function checkParams(name, params) {
  for (const param of Object.keys(params)) if (!RESOURCES[name].params.includes(param)) throw unknown(param);
}

/** Metadata is merged: a key with an empty value goes, and an empty text in its place clears all of it. */
export function metadataOf(row, { metadata }) {
  if (metadata === undefined) return {};
  const merged = metadata === null ? {} : { ...row.metadata, ...metadata };
  return {
    metadata: Object.fromEntries(
      Object.entries(merged).filter(([, value]) => value !== '' && value !== null),
    ),
  };
}

/** Parameters that are empty are left out of what is new. */
export function withoutNothing(params) {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

function unknown(param) {
  return invalid(`Received unknown parameter: ${param}`, { param, code: 'parameter_unknown' });
}

/** @param param - a parameter that is not there and must be */
export function needed(param) {
  return invalid(`Missing required param: ${param}.`, { param, code: 'parameter_missing' });
}
