import { checkConditions } from './conditions.mjs';
import { invalid, notMocked, required, StorageError } from './errors.mjs';
import { pageOf } from './listing.mjs';

const NAME = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;
/** What the service says of a bucket by itself. */
const OWN = [
  'kind',
  'id',
  'selfLink',
  'projectNumber',
  'metageneration',
  'timeCreated',
  'updated',
  'etag',
  'name',
];

const said = (body) => Object.fromEntries(Object.entries(body).filter(([name]) => !OWN.includes(name)));

const shown = (row, base) => {
  const { id, metageneration = '1', location = 'US', ...fields } = row;
  return {
    kind: 'storage#bucket',
    id,
    name: id,
    selfLink: `${base}/storage/v1/b/${id}`,
    projectNumber: '1',
    storageClass: 'STANDARD',
    locationType: 'multi-region',
    etag: Buffer.from(metageneration).toString('base64'),
    timeCreated: '1970-01-01T00:00:00.000Z',
    updated: '1970-01-01T00:00:00.000Z',
    ...fields,
    location: location.toUpperCase(),
    metageneration,
  };
};

function check(fields) {
  if (fields.versioning?.enabled === true) throw notMocked('Versioning of objects');
  if ((fields.retentionPolicy ?? undefined) !== undefined) throw notMocked('A retention policy');
  for (const name of ['location', 'storageClass'])
    if (fields[name] !== undefined && typeof fields[name] !== 'string')
      throw invalid(`Invalid value for ${name}: a text would be right.`);
}

export function createBucket({ query, body, store, base }) {
  if (query.project === undefined) throw required('project');
  const { name } = body;
  if (typeof name !== 'string' || name === '') throw required('name');
  if (!NAME.test(name))
    throw invalid(
      `Invalid bucket name: '${name}'. 3 to 222 lower-case letters, digits and ._- would be right, with a letter or digit at both ends.`,
    );
  check(body);
  if (store.buckets.has(name))
    throw new StorageError(
      409,
      'conflict',
      'Your previous request to create the named bucket succeeded and you already own it.',
    );
  const { time } = store;
  const row = {
    ...said(body),
    id: name,
    project: query.project,
    metageneration: '1',
    timeCreated: time,
    updated: time,
  };
  return { json: withoutProject(shown(store.buckets.create(row), base)) };
}

const withoutProject = ({ project: _project, ...fields }) => fields;

export function listBuckets({ query, store, base }) {
  if (query.project === undefined) throw required('project');
  const { prefix = '' } = query;
  const rows = store.buckets
    .list()
    .filter(({ id, project = query.project }) => project === query.project && id.startsWith(prefix));
  const { page, next } = pageOf(
    rows.map((row) => ({ name: row.id, row })),
    query,
  );
  return {
    json: {
      kind: 'storage#buckets',
      items: page.map(({ row }) => withoutProject(shown(row, base))),
      ...(next !== undefined && { nextPageToken: next }),
    },
  };
}

export function getBucket({ bucket, query, store, base }) {
  const row = store.bucket(bucket);
  checkConditions(query, { metageneration: '1', ...row }, { reads: true });
  return { json: withoutProject(shown(row, base)) };
}

export function changeBucket({ request, bucket, query, body, store, base }) {
  const before = store.bucket(bucket);
  checkConditions(query, { metageneration: '1', ...before });
  const { id, project, timeCreated, metageneration = '1', ...fields } = before;
  const made = request.method === 'PUT' ? said(body) : mergePatch(fields, said(body));
  check(made);
  const row = {
    ...made,
    id,
    ...(project !== undefined && { project }),
    ...(timeCreated !== undefined && { timeCreated }),
    metageneration: String(Number(metageneration) + 1),
    updated: store.time,
  };
  return { json: withoutProject(shown(store.buckets.replace(id, row), base)) };
}

const isPlain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function mergePatch(before, patch) {
  const made = { ...before };
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete made[name];
    else made[name] = isPlain(value) ? mergePatch(isPlain(made[name]) ? made[name] : {}, value) : value;
  return made;
}

export function deleteBucket({ bucket, query, store }) {
  const row = store.bucket(bucket);
  checkConditions(query, { metageneration: '1', ...row });
  for (const { id } of store.objects.values())
    if (id.startsWith(`${bucket}/`))
      throw new StorageError(409, 'conflict', 'The bucket you tried to delete is not empty.');
  store.buckets.remove(bucket);
  return { status: 204 };
}
