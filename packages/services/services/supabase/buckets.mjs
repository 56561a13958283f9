import { rowsOf, SupabaseError, timeOf } from './api.mjs';
import { bucketOf, storageOperation } from './storage.mjs';

const refuse = (statusCode, error, message) =>
  new SupabaseError(400, { statusCode: String(statusCode), error, message });

const SIZES = { B: 1, KB: 1000, MB: 1000 ** 2, GB: 1000 ** 3 };

/** A size as a number of bytes: `1MB`, `500KB` or the number itself. */
function sizeOf(given) {
  if (given === null || given === undefined || typeof given === 'number') return given ?? null;
  const found = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB)?$/i.exec(String(given));
  if (found === null) throw refuse(400, 'Error', `file_size_limit ${given} is no size`);
  return Math.floor(Number(found[1]) * SIZES[(found[2] ?? 'B').toUpperCase()]);
}

export const list = storageOperation(({ context }) => ({ json: rowsOf(context, 'storage.buckets').list() }));
export const get = storageOperation(({ request, context }) => ({
  json: bucketOf(context, request.params.bucket),
}));

export const create = storageOperation(({ request, context }) => {
  const {
    id,
    name = id,
    public: isPublic = false,
    file_size_limit: limit,
    allowed_mime_types: types,
  } = request.body ?? {};
  if (typeof name !== 'string' || !/^[\w!.*'() &$@=;:+,?-]{1,100}$/.test(name))
    throw refuse(400, 'InvalidBucketName', 'Bucket name invalid');
  const buckets = rowsOf(context, 'storage.buckets');
  if (buckets.has(name)) throw refuse(409, 'Duplicate', 'The resource already exists');
  const now = timeOf(context);
  buckets.create({
    id: name,
    name,
    owner: '',
    public: isPublic,
    file_size_limit: sizeOf(limit),
    allowed_mime_types: types ?? null,
    created_at: now,
    updated_at: now,
  });
  return { json: { name } };
});

export const update = storageOperation(({ request, context }) => {
  const { id } = bucketOf(context, request.params.bucket);
  const { public: isPublic, file_size_limit: limit, allowed_mime_types: types } = request.body ?? {};
  rowsOf(context, 'storage.buckets').update(id, {
    ...(isPublic === undefined ? {} : { public: isPublic }),
    ...(limit === undefined ? {} : { file_size_limit: sizeOf(limit) }),
    ...(types === undefined ? {} : { allowed_mime_types: types }),
    updated_at: timeOf(context),
  });
  return { json: { message: 'Successfully updated' } };
});

function objectsIn(context, bucket) {
  return rowsOf(context, 'storage.objects')
    .list()
    .filter((row) => row.bucket === bucket);
}

export const empty = storageOperation(({ request, context }) => {
  const { id } = bucketOf(context, request.params.bucket);
  for (const row of objectsIn(context, id)) rowsOf(context, 'storage.objects').remove(row.id);
  return { json: { message: 'Successfully emptied' } };
});

export const remove = storageOperation(({ request, context }) => {
  const { id } = bucketOf(context, request.params.bucket);
  if (objectsIn(context, id).length > 0)
    throw refuse(409, 'InvalidRequest', 'The bucket you tried to delete is not empty');
  rowsOf(context, 'storage.buckets').remove(id);
  return { json: { message: 'Successfully deleted' } };
});
