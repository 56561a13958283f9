import { bodyOf, invalid, notFound, operation, rowsOf } from './api.mjs';
import { applyInstructions } from './instructions.mjs';
import { applyJsonPatch } from './json-patch.mjs';

const PROJECT = 'default';
const ENVIRONMENT = 'test';
/** What an environment has of a flag; the rest is the same in all. */
const OF_ENVIRONMENT = [
  'on',
  'targets',
  'contextTargets',
  'rules',
  'fallthrough',
  'offVariation',
  'prerequisites',
  'trackEvents',
];
const MAX_LISTED = 100;

/** A flag as the REST API shows it. */
function shownFlag(row) {
  const environment = Object.fromEntries(OF_ENVIRONMENT.map((name) => [name, row[name]]));
  return {
    key: row.key,
    name: row.name ?? row.key,
    description: row.description ?? '',
    kind: row.variations.every((value) => typeof value === 'boolean') ? 'boolean' : 'multivariate',
    tags: row.tags ?? [],
    temporary: true,
    archived: false,
    creationDate: row.created ?? 0,
    _version: row.version,
    variations: row.variations.map((value, index) => ({ _id: `${row.key}-${index}`, value })),
    clientSideAvailability: row.clientSideAvailability,
    environments: {
      [ENVIRONMENT]: { ...environment, salt: row.salt, archived: false, version: row.version },
    },
    _links: { self: { href: `/api/v2/flags/${PROJECT}/${row.key}`, type: 'application/json' } },
  };
}

/** The row of a flag that the REST API has shown and somebody has changed. */
function rowOf(flag, before) {
  const environment = flag.environments?.[ENVIRONMENT] ?? {};
  const own = Object.fromEntries(
    OF_ENVIRONMENT.filter((name) => environment[name] !== undefined).map((name) => [name, environment[name]]),
  );
  const { name, description, tags, clientSideAvailability } = flag;
  return {
    ...before,
    ...own,
    name,
    description,
    tags,
    clientSideAvailability,
    variations: flag.variations.map(({ value }) => value),
    version: before.version + 1,
  };
}

function rowFor({ params }, context) {
  requireProject(params);
  const rows = rowsOf(context, 'flags');
  if (!rows.has(params.key)) throw notFound('flag');
  return rows.get(params.key);
}

function requireProject({ project, environment = ENVIRONMENT }) {
  if (project !== PROJECT) throw notFound('project');
  if (environment !== ENVIRONMENT) throw notFound('environment');
}

function pageOf(rows, { query, path }, show) {
  const count = (name, instead) => {
    const given = query[name] ?? instead;
    if (!/^\d+$/.test(String(given))) throw invalid(`${name} must be a number`);
    return Number(given);
  };
  const [limit, offset] = [Math.min(count('limit', 20), MAX_LISTED), count('offset', 0)];
  return {
    items: rows.slice(offset, offset + limit).map(show),
    totalCount: rows.length,
    _links: {
      self: { href: path, type: 'application/json' },
      ...(offset + limit < rows.length
        ? { next: { href: `${path}?limit=${limit}&offset=${offset + limit}`, type: 'application/json' } }
        : {}),
    },
  };
}

export const listFlags = operation('api', (request, context) => {
  requireProject(request.params);
  return { json: pageOf(rowsOf(context, 'flags').list(), request, shownFlag) };
});

export const getFlag = operation('api', (request, context) => ({
  json: shownFlag(rowFor(request, context)),
}));

export const createFlag = operation('api', (request, context) => {
  requireProject(request.params);
  const { key, name, description, tags, variations, defaults, isFlagOn, clientSideAvailability } =
    bodyOf(request);
  if (typeof key !== 'string' || !/^[\w.-]{1,256}$/.test(key))
    throw invalid('key must be letters, digits, "." "_" and "-"');
  if (typeof name !== 'string' || name === '') throw invalid('name is required');
  if (variations !== undefined && (!Array.isArray(variations) || variations.length < 2))
    throw invalid('a flag must have two variations at least');
  const values = variations?.map(({ value }) => value) ?? [true, false];
  const { onVariation = 0, offVariation = values.length - 1 } = defaults ?? {};
  for (const at of [onVariation, offVariation])
    if (!Number.isInteger(at) || at < 0 || at >= values.length) throw invalid(`there is no variation ${at}`);
  const row = rowsOf(context, 'flags').create({
    key,
    name,
    created: context.clock.now(),
    variations: values,
    on: isFlagOn === true,
    fallthrough: { variation: onVariation },
    offVariation,
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(clientSideAvailability === undefined ? {} : { clientSideAvailability }),
  });
  return { status: 201, json: shownFlag(row) };
});

/** Changes a flag: by instructions (semantic patch), or by a JSON patch (RFC 6902). */
export const changeFlag = operation('api', (request, context) => {
  const before = rowFor(request, context);
  const body = bodyOf(request);
  const patch = Array.isArray(body) ? body : body.patch;
  let row;
  if (patch !== undefined) row = rowOf(applyJsonPatch(shownFlag(before), patch), before);
  else if (Array.isArray(body.instructions)) {
    if (body.environmentKey !== undefined)
      requireProject({ project: PROJECT, environment: body.environmentKey });
    row = { ...applyInstructions(before, body.instructions), version: before.version + 1 };
  } else throw invalid('the body must be a JSON patch, or have "instructions"');
  return { json: shownFlag(rowsOf(context, 'flags').replace(before.key, row)) };
});

export const deleteFlag = operation('api', (request, context) => {
  rowsOf(context, 'flags').remove(rowFor(request, context).key);
  return { status: 204 };
});

function segmentFor({ params }, context) {
  requireProject(params);
  const rows = rowsOf(context, 'segments');
  if (!rows.has(params.key)) throw notFound('segment');
  return rows.get(params.key);
}

const shownSegment = (row) => ({ ...row, name: row.name ?? row.key, creationDate: row.created ?? 0 });

export const listSegments = operation('api', (request, context) => {
  requireProject(request.params);
  return { json: pageOf(rowsOf(context, 'segments').list(), request, shownSegment) };
});

export const getSegment = operation('api', (request, context) => ({
  json: shownSegment(segmentFor(request, context)),
}));

export const createSegment = operation('api', (request, context) => {
  requireProject(request.params);
  const { key, name, description, tags } = bodyOf(request);
  if (typeof key !== 'string' || key === '') throw invalid('key is required');
  if (typeof name !== 'string' || name === '') throw invalid('name is required');
  const row = rowsOf(context, 'segments').create({
    key,
    name,
    created: context.clock.now(),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
  });
  return { status: 201, json: shownSegment(row) };
});

/** Changes a segment by a JSON patch. */
export const changeSegment = operation('api', (request, context) => {
  const before = segmentFor(request, context);
  const body = bodyOf(request);
  const patch = Array.isArray(body) ? body : body.patch;
  if (patch === undefined) throw invalid('the body must be a JSON patch');
  const { creationDate: _creationDate, ...row } = applyJsonPatch(shownSegment(before), patch);
  return {
    json: shownSegment(
      rowsOf(context, 'segments').replace(before.key, { ...row, version: before.version + 1 }),
    ),
  };
});

export const deleteSegment = operation('api', (request, context) => {
  rowsOf(context, 'segments').remove(segmentFor(request, context).key);
  return { status: 204 };
});
