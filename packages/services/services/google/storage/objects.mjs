import { checkConditions, rangeOf } from './conditions.mjs';
import { invalid, required, StorageError } from './errors.mjs';
import { described, etagOf, patched, resourceOf, withDigests } from './store.mjs';

const MAX_SOURCES = 32;
/** What may be the name of a header. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

export async function getObject(call) {
  const { bucket, object: name, query, store, base } = call;
  const found = store.object(bucket, name, query.generation);
  checkConditions(query, found, { reads: true });
  return query.alt === 'media' ? download(call, found) : { json: await resourceOf(found, base) };
}

/** The bytes of an object, as other ways to read them than JSON have it. */
export function readObject(call) {
  const { bucket, object, query, store } = call;
  const found = store.object(bucket, object, query.generation);
  checkConditions(query, found, { reads: true });
  return download(call, found);
}

async function download({ request }, object) {
  const { md5Hash, crc32c, content, size, ...found } = await withDigests(object);
  const headers = {
    'Content-Type': found.contentType,
    ETag: `"${etagOf(object)}"`,
    'Last-Modified': new Date(found.updated).toUTCString(),
    'Accept-Ranges': 'bytes',
    'x-goog-generation': found.generation,
    'x-goog-metageneration': found.metageneration,
    'x-goog-storage-class': found.storageClass,
    'x-goog-stored-content-encoding': found.contentEncoding ?? 'identity',
    'x-goog-stored-content-length': String(size),
    'x-goog-hash': `crc32c=${crc32c}${md5Hash === undefined ? '' : `,md5=${md5Hash}`}`,
  };
  for (const [name, value] of Object.entries({
    'Content-Encoding': found.contentEncoding,
    'Content-Disposition': found.contentDisposition,
    'Content-Language': found.contentLanguage,
    'Cache-Control': found.cacheControl,
  }))
    if (value !== undefined) headers[name] = value;
  for (const [name, value] of Object.entries(found.metadata ?? {}))
    if (TOKEN.test(name)) headers[`x-goog-meta-${name}`] = value;
  const range = rangeOf(request.headers.range, size);
  if (range === undefined) return { headers, body: content };
  headers['Content-Range'] = `bytes ${range.first}-${range.last}/${size}`;
  return { status: 206, headers, body: content.subarray(range.first, range.last + 1) };
}

export async function changeObject({ request, bucket, object: name, query, body, store, base }) {
  const found = store.object(bucket, name, query.generation);
  checkConditions(query, found);
  const fields = request.method === 'PUT' ? described(body) : patched(found, body);
  const made = store.change(found, { contentType: found.contentType, ...fields });
  return { json: await resourceOf(made, base) };
}

export function deleteObject({ bucket, object: name, query, store }) {
  const found = store.object(bucket, name, query.generation);
  checkConditions(query, found);
  store.objects.remove(found.id);
  return { status: 204 };
}

/** Writes a copy, described by the body where it says something, else as its source. */
async function copyOf({ bucket, object, target, query, body, store }) {
  const source = store.object(bucket, object, query.sourceGeneration);
  checkConditions(query, source, { source: true });
  checkConditions(query, store.find(target.bucket, target.object));
  const { md5Hash, crc32c, componentCount } = await withDigests(source);
  const saying = described(body);
  const made = store.put(target.bucket, target.object, source.content, {
    ...(Object.keys(saying).length === 0
      ? described(source)
      : { contentType: source.contentType, ...saying }),
    ...(md5Hash !== undefined && { md5Hash }),
    crc32c,
    ...(componentCount !== undefined && { componentCount }),
  });
  return { source, made };
}

export async function copyObject(call) {
  const { made } = await copyOf(call);
  return { json: await resourceOf(made, call.base) };
}

export async function moveObject(call) {
  const { source, made } = await copyOf(call);
  if (source.id !== made.id) call.store.objects.remove(source.id);
  return { json: await resourceOf(made, call.base) };
}

export async function rewriteObject(call) {
  const { made } = await copyOf(call);
  const size = String(made.size);
  return {
    json: {
      kind: 'storage#rewriteResponse',
      totalBytesRewritten: size,
      objectSize: size,
      done: true,
      resource: await resourceOf(made, call.base),
    },
  };
}

export async function composeObject({ bucket, object: name, query, body, store, base }) {
  const { sourceObjects: sources = [], destination = {} } = body;
  if (!Array.isArray(sources) || sources.length === 0) throw required('sourceObjects');
  if (sources.length > MAX_SOURCES)
    throw invalid(
      `The number of source components provided (${sources.length}) exceeds the maximum (${MAX_SOURCES}).`,
    );
  checkConditions(query, store.find(bucket, name));
  const parts = sources.map((one) => {
    const { name: source, generation, objectPreconditions } = one ?? {};
    if (typeof source !== 'string') throw required('sourceObjects[].name');
    const found = store.object(bucket, source, generation === undefined ? undefined : String(generation));
    const { ifGenerationMatch } = objectPreconditions ?? {};
    checkConditions(
      ifGenerationMatch === undefined ? {} : { ifGenerationMatch: String(ifGenerationMatch) },
      found,
    );
    return found;
  });
  const content = Buffer.concat(parts.map((one) => one.content));
  const { crc32c } = await store.digests(content);
  const made = store.put(bucket, name, content, {
    contentType: parts[0].contentType,
    ...described(destination ?? {}),
    crc32c,
    componentCount: parts.reduce((sum, one) => sum + (one.componentCount ?? 1), 0),
  });
  return { json: await resourceOf(made, base) };
}

export const unknownObjectPart = (part) =>
  new StorageError(
    501,
    'notImplemented',
    `/${part} of an object is not mocked. compose, copyTo, moveTo and rewriteTo are known.`,
  );
