import {
  callerOf,
  claimsOf,
  operation,
  rowsOf,
  secondsOf,
  signToken,
  SupabaseError,
  timeOf,
} from './api.mjs';

/** An error of the storage: most have the status 400 and say the one that is meant. */
function storageError(statusCode, error, message) {
  return new SupabaseError(400, { statusCode: String(statusCode), error, message });
}

const noBucket = () => storageError(404, 'Bucket not found', 'Bucket not found');
const noObject = () => storageError(404, 'not_found', 'Object not found');
const MAX_LISTED = 1000;

/** Makes the function of a mock of the storage; `open` is for those that need no key. */
export function storageOperation(act, { open = false } = {}) {
  return operation(
    (request, context) => {
      if (!open)
        callerOf(request, context, (reason) => storageError(403, 'Unauthorized', `jwt: the token ${reason}`));
      return act({ request, context });
    },
    ({ code, message }) =>
      code === 'too_large' ? storageError(413, 'Payload too large', message) : undefined,
  );
}

function bodyOf({ body }) {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array) ? body : {};
}

export function bucketOf(context, id) {
  const buckets = rowsOf(context, 'storage.buckets');
  if (!buckets.has(id)) throw noBucket();
  return buckets.get(id);
}

const keyOf = (bucket, path) => `${bucket}/${path}`;

function objectOf(context, bucket, path) {
  const objects = rowsOf(context, 'storage.objects');
  if (!objects.has(keyOf(bucket, path))) throw noObject();
  return objects.get(keyOf(bucket, path));
}

/** The name of an object: what stands behind its bucket in the path. */
function nameIn({ path, params }) {
  const encoded = encodeURIComponent(params.bucket);
  const at = [params.bucket, encoded].map((name) => path.indexOf(`/${name}/`)).find((index) => index >= 0);
  const rest = at === undefined ? '' : path.slice(path.indexOf('/', at + 1) + 1);
  let name;
  try {
    name = decodeURIComponent(rest);
  } catch {
    name = rest;
  }
  if (name === '' || name.split('/').some((step) => step === '..') || /[\u0000-\u001f]/.test(name))
    throw storageError(400, 'InvalidKey', `Invalid key: ${name}`);
  return name;
}

/** The bytes of an upload, which come as they are or in a form. */
function uploadOf(request) {
  const part = Object.values(request.parts ?? {}).find(
    ({ filename, name }) => filename !== undefined || name === '',
  );
  const { headers } = request;
  const type = part === undefined ? headers['content-type'] : part.type;
  const field = (name) => Object.values(request.parts ?? {}).find((one) => one.name === name)?.body;
  const given = part === undefined ? request.raw_body : part.body;
  const isJson = typeof given === 'object' && given !== null && !(given instanceof Uint8Array);
  const cache = field('cacheControl') ?? headers['cache-control'] ?? 'no-cache';
  return {
    bytes: Buffer.from(isJson ? JSON.stringify(given) : (given ?? '')),
    type: type ?? 'application/octet-stream',
    cache: /^\d+$/.test(String(cache)) ? `max-age=${cache}` : String(cache),
    metadata: readMetadata(field('metadata') ?? headers['x-metadata']),
  };
}

function readMetadata(given) {
  if (given === undefined) return {};
  if (typeof given === 'object') return given;
  try {
    return JSON.parse(/^[{[]/.test(given) ? given : Buffer.from(given, 'base64').toString());
  } catch {
    return {};
  }
}

function store(request, context, { upsert, mustExist = false }) {
  const { bucket } = request.params;
  const { file_size_limit: limit, allowed_mime_types: types } = bucketOf(context, bucket);
  const name = nameIn(request);
  const { bytes, type, cache, metadata } = uploadOf(request);
  if (limit !== null && limit !== undefined && bytes.length > limit)
    throw storageError(413, 'Payload too large', 'The object exceeded the maximum allowed size');
  if (Array.isArray(types) && types.length > 0 && !types.some((one) => fits(type, one)))
    throw storageError(415, 'invalid_mime_type', `mime type ${type} is not supported`);
  const objects = rowsOf(context, 'storage.objects');
  const id = keyOf(bucket, name);
  const before = objects.has(id) ? objects.get(id) : undefined;
  if (before !== undefined && !upsert) throw storageError(409, 'Duplicate', 'The resource already exists');
  if (before === undefined && mustExist) throw noObject();
  const now = timeOf(context);
  const row = {
    id,
    bucket,
    name,
    uuid: before?.uuid ?? context.random.uuid(),
    type,
    cache,
    metadata,
    size: bytes.length,
    content: bytes.toString('base64'),
    created_at: before?.created_at ?? now,
    updated_at: now,
  };
  if (before === undefined) objects.create(row);
  else objects.replace(id, row);
  return { json: { Key: id, Id: row.uuid } };
}

const fits = (type, wanted) => {
  const [plain] = type.split(';');
  return wanted.endsWith('/*') ? plain.startsWith(wanted.slice(0, -1)) : plain === wanted;
};

export const upload = storageOperation(({ request, context }) =>
  store(request, context, { upsert: request.headers['x-upsert'] === 'true' }),
);
export const replace = storageOperation(({ request, context }) =>
  store(request, context, { upsert: true, mustExist: true }),
);

/** An object as it is downloaded. */
function serve({ request, context }, { needsPublic = false } = {}) {
  const { bucket } = request.params;
  if (needsPublic && bucketOf(context, bucket).public !== true) throw noBucket();
  const row = objectOf(context, bucket, nameIn(request));
  const etag = `"${row.uuid}-${row.updated_at}"`;
  const { download } = request.query;
  const headers = {
    'Content-Type': row.type,
    'Cache-Control': row.cache,
    ETag: etag,
    'Last-Modified': new Date(row.updated_at).toUTCString(),
    ...(download === undefined
      ? {}
      : {
          'Content-Disposition': `attachment; filename="${encodeURIComponent(download || row.name.split('/').at(-1))}"`,
        }),
  };
  if (request.headers['if-none-match'] === etag) return { status: 304, headers };
  if (request.method === 'HEAD') return { headers: { ...headers, 'Content-Length': String(row.size) } };
  return { headers, body_base64: row.content };
}

export const download = storageOperation((call) => serve(call));
export const downloadPublic = storageOperation((call) => serve(call, { needsPublic: true }), { open: true });

/** A link counts for one object, until its time is over. */
export const downloadSigned = storageOperation(
  (call) => {
    checkLink(call, keyOf(call.request.params.bucket, nameIn(call.request)));
    return serve(call);
  },
  { open: true },
);

export const uploadSigned = storageOperation(
  (call) => {
    const { request, context } = call;
    const { upsert } = checkLink(call, keyOf(request.params.bucket, nameIn(request)));
    return store(request, context, { upsert: upsert === true });
  },
  { open: true },
);

function checkLink({ request, context }, id) {
  const refuse = (reason) =>
    storageError(
      400,
      'InvalidJWT',
      reason.includes('expired') ? '"exp" claim timestamp check failed' : `the token ${reason}`,
    );
  const claims = claimsOf(String(request.query.token ?? ''), context, refuse);
  if (claims.url !== id) throw storageError(400, 'InvalidSignature', 'The url does not match the token');
  return claims;
}

function linkTo(context, id, expiresIn) {
  if (!Number.isInteger(expiresIn) || expiresIn < 1)
    throw storageError(400, 'Error', 'expiresIn must be a number of seconds');
  const [bucket, ...steps] = id.split('/');
  const now = secondsOf(context);
  const signed = signToken(context, { url: id, iat: now, exp: now + expiresIn });
  return `/object/sign/${bucket}/${steps.map(encodeURIComponent).join('/')}?token=${signed}`;
}

export const sign = storageOperation(({ request, context }) => {
  const row = objectOf(context, request.params.bucket, nameIn(request));
  return { json: { signedURL: linkTo(context, row.id, bodyOf(request).expiresIn) } };
});

export const signMany = storageOperation(({ request, context }) => {
  const { bucket } = request.params;
  const { expiresIn, paths = [] } = bodyOf(request);
  bucketOf(context, bucket);
  const objects = rowsOf(context, 'storage.objects');
  return {
    json: paths.map((path) =>
      objects.has(keyOf(bucket, path))
        ? { error: null, path, signedURL: linkTo(context, keyOf(bucket, path), expiresIn) }
        : {
            error: 'Either the object does not exist or you do not have access to it',
            path,
            signedURL: null,
          },
    ),
  };
});

export const signUpload = storageOperation(({ request, context }) => {
  const { bucket } = request.params;
  bucketOf(context, bucket);
  const name = nameIn(request);
  const upsert = request.headers['x-upsert'] === 'true';
  const now = secondsOf(context);
  const token = signToken(context, { url: keyOf(bucket, name), upsert, iat: now, exp: now + 7200 });
  return { json: { url: `/object/upload/sign/${bucket}/${encodeURI(name)}?token=${token}`, token } };
});

const shownObject = (row, name) => ({
  name,
  id: row.uuid,
  updated_at: row.updated_at,
  created_at: row.created_at,
  last_accessed_at: row.updated_at,
  metadata: {
    eTag: `"${row.uuid}"`,
    size: row.size,
    mimetype: row.type,
    cacheControl: row.cache,
    lastModified: row.updated_at,
    contentLength: row.size,
    httpStatusCode: 200,
  },
});

/** What stands in one folder: its objects, and the folders in it, which have no id. */
export const list = storageOperation(({ request, context }) => {
  const { bucket } = request.params;
  bucketOf(context, bucket);
  const { prefix = '', limit = 100, offset = 0, search = '', sortBy = {} } = bodyOf(request);
  const start = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const found = new Map();
  for (const row of rowsOf(context, 'storage.objects').values()) {
    if (row.bucket !== bucket || !row.name.startsWith(start)) continue;
    const [name, ...deeper] = row.name.slice(start.length).split('/');
    if (!name.toLowerCase().startsWith(search.toLowerCase())) continue;
    if (deeper.length === 0) found.set(name, shownObject(row, name));
    else if (!found.has(name))
      found.set(name, {
        name,
        id: null,
        updated_at: null,
        created_at: null,
        last_accessed_at: null,
        metadata: null,
      });
  }
  const { column = 'name', order = 'asc' } = sortBy;
  if (!['name', 'updated_at', 'created_at', 'last_accessed_at'].includes(column))
    throw storageError(400, 'Error', `sortBy has no column ${column}`);
  const sorted = [...found.values()].sort((a, b) => {
    const [one, other] = [a[column] ?? '', b[column] ?? ''];
    return (one < other ? -1 : one > other ? 1 : 0) * (order === 'desc' ? -1 : 1);
  });
  return { json: sorted.slice(offset, offset + Math.min(limit, MAX_LISTED)) };
});

export const info = storageOperation(({ request, context }) => {
  const row = objectOf(context, request.params.bucket, nameIn(request));
  return {
    json: {
      id: row.uuid,
      name: row.name,
      bucket_id: row.bucket,
      size: row.size,
      content_type: row.type,
      cache_control: row.cache,
      etag: `"${row.uuid}"`,
      metadata: row.metadata,
      created_at: row.created_at,
      last_modified: row.updated_at,
    },
  };
});

export const remove = storageOperation(({ request, context }) => {
  const { bucket } = request.params;
  bucketOf(context, bucket);
  const objects = rowsOf(context, 'storage.objects');
  const gone = [];
  for (const path of bodyOf(request).prefixes ?? []) {
    const id = keyOf(bucket, path);
    if (!objects.has(id)) continue;
    const row = objects.get(id);
    objects.remove(id);
    gone.push({ ...shownObject(row, row.name), bucket_id: bucket });
  }
  return { json: gone };
});

function carry(request, context, isMove) {
  const { bucketId, sourceKey, destinationKey, destinationBucket = bucketId } = bodyOf(request);
  bucketOf(context, destinationBucket);
  const row = objectOf(context, bucketId, sourceKey);
  const id = keyOf(destinationBucket, destinationKey);
  const objects = rowsOf(context, 'storage.objects');
  if (objects.has(id) && request.headers['x-upsert'] !== 'true')
    throw storageError(409, 'Duplicate', 'The resource already exists');
  if (objects.has(id)) objects.remove(id);
  if (isMove) objects.remove(row.id);
  const uuid = isMove ? row.uuid : context.random.uuid();
  objects.create({
    ...row,
    id,
    uuid,
    bucket: destinationBucket,
    name: destinationKey,
    updated_at: timeOf(context),
  });
  return { json: isMove ? { message: 'Successfully moved' } : { Key: id, Id: uuid } };
}

export const copy = storageOperation(({ request, context }) => carry(request, context, false));
export const move = storageOperation(({ request, context }) => carry(request, context, true));
