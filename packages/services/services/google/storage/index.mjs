import * as buckets from './buckets.mjs';
import { errorAnswer, invalid, StorageError } from './errors.mjs';
import { selectFields } from './fields.mjs';
import { listObjects } from './listing.mjs';
import * as objects from './objects.mjs';
import { Store } from './store.mjs';
import { cancelUpload, continueUpload, parseBody, upload } from './uploads.mjs';

const BASE = '/google';
const HOST = 'google.localhost';

const BUCKETS = { GET: buckets.listBuckets, POST: buckets.createBucket };
const BUCKET = {
  GET: buckets.getBucket,
  PATCH: buckets.changeBucket,
  PUT: buckets.changeBucket,
  DELETE: buckets.deleteBucket,
};
const OBJECT = {
  GET: objects.getObject,
  HEAD: objects.getObject,
  PATCH: objects.changeObject,
  PUT: objects.changeObject,
  DELETE: objects.deleteObject,
};
const COPIES = {
  copyTo: objects.copyObject,
  moveTo: objects.moveObject,
  rewriteTo: objects.rewriteObject,
};
const UPLOADS = { POST: upload, PUT: continueUpload, DELETE: cancelUpload };

const textOf = (value) => (Array.isArray(value) ? value[0] : value);

function partsOf(path) {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    throw new StorageError(400, 'invalid', `The path ${path} is not encoded as UTF-8 with percent signs.`);
  }
}

function unknown({ method, path }) {
  return new StorageError(
    404,
    'notFound',
    `${method} ${path} is for nothing that the service google knows: /storage/v1/b, /storage/v1/b/BUCKET, /storage/v1/b/BUCKET/o, /storage/v1/b/BUCKET/o/OBJECT, /upload/storage/v1/b/BUCKET/o and /BUCKET/OBJECT.`,
  );
}

/** What a path is for; SDKs put the version in front of it or do not. @returns the function with the names of its parts */
function routeOf(request) {
  const path = request.path.slice(BASE.length);
  const [, way, rest] =
    /^(\/upload|\/download|\/resumable\/upload)?(?:\/storage\/v1)?(\/.*)$/.exec(path) ?? [];
  if (rest === undefined) throw unknown(request);
  const parts = partsOf(rest.slice(1));
  const [first, bucket, kind, object, verb, ...target] = parts;
  const { method } = request;
  if (first !== 'b') return { run: readsOf(request, parts), bucket: first, object: parts.slice(1).join('/') };
  if (bucket === undefined || bucket === '') return { run: BUCKETS[method] };
  if (kind === undefined) return { run: BUCKET[method], bucket };
  if (kind !== 'o') throw new StorageError(501, 'notImplemented', `/${kind} of a bucket is not mocked.`);
  if (object === undefined) {
    if (way === '/upload' || way === '/resumable/upload') return { run: UPLOADS[method], bucket };
    return { run: method === 'GET' ? listObjects : undefined, bucket };
  }
  if (verb === undefined) return { run: OBJECT[method], bucket, object };
  if (method === 'POST' && verb === 'compose') return { run: objects.composeObject, bucket, object };
  const copied = placeOf(verb, target, bucket);
  if (method !== 'POST' || copied === undefined) throw objects.unknownObjectPart(verb);
  return { run: COPIES[verb], bucket, object, target: copied };
}

function placeOf(verb, target, bucket) {
  if (verb === 'moveTo') return target[0] === 'o' && target[1] ? { bucket, object: target[1] } : undefined;
  const [b, to, o, object] = target;
  return Object.hasOwn(COPIES, verb) && b === 'b' && o === 'o' && object ? { bucket: to, object } : undefined;
}

/** Bytes are also read below the name of the bucket alone, as some SDKs do. */
function readsOf({ method }, parts) {
  const isRead = (method === 'GET' || method === 'HEAD') && parts.length > 1 && parts[1] !== '';
  return isRead ? objects.readObject : undefined;
}

function baseOf({ scheme, host }) {
  return `${scheme}://${host}${host.startsWith(HOST) ? '' : BASE}`;
}

/** Parameters that are one of several words. Nobody is kept out here, so that none changes what is answered. */
const ACLS = [
  'authenticatedRead',
  'bucketOwnerFullControl',
  'bucketOwnerRead',
  'private',
  'projectPrivate',
  'publicRead',
  'publicReadWrite',
];
const WORDS = {
  destinationPredefinedAcl: ACLS,
  predefinedAcl: ACLS,
  predefinedDefaultObjectAcl: ACLS,
  projection: ['full', 'noAcl'],
};

function checkWords(query) {
  for (const [name, words] of Object.entries(WORDS))
    if (query[name] !== undefined && !words.includes(query[name]))
      throw invalid(`Invalid value for ${name}: ${query[name]}. ${words.join(', ')} would be right.`);
}

export async function answer(request, context) {
  const query = Object.fromEntries(
    Object.entries(request.query).map(([name, value]) => [name, textOf(value)]),
  );
  let isMedia = query.alt === 'media';
  try {
    const { run, ...names } = routeOf(request);
    if (run === undefined) throw unknown(request);
    checkWords(query);
    isMedia ||= run === objects.readObject;
    const bytes = request.raw_body === undefined ? Buffer.alloc(0) : Buffer.from(request.raw_body);
    const takesBytes = run === continueUpload || (run === upload && query.uploadType !== 'resumable');
    const body = takesBytes ? {} : parseBody(bytes);
    const store = new Store(context);
    const made = await run({ ...names, request, query, bytes, body, store, base: baseOf(request) });
    const headers = { 'X-GUploader-UploadID': context.random.uuid(), ...made.headers };
    if (made.json === undefined || query.fields === undefined) return { ...made, headers };
    return { ...made, headers, json: selectFields(made.json, query.fields) };
  } catch (thrown) {
    if (thrown.code === 'too_large')
      return errorAnswer(new StorageError(413, 'uploadTooLarge', `There is no room: ${thrown.message}`));
    if (!(thrown instanceof StorageError)) throw thrown;
    return errorAnswer(thrown, isMedia);
  }
}

const fault =
  (...error) =>
  () =>
    errorAnswer(new StorageError(...error));

export const rateLimited = fault(
  429,
  'rateLimitExceeded',
  'The rate of requests to the bucket exceeds the limit. Reduce the rate of requests.',
  { 'Retry-After': '1' },
);
export const outage = fault(503, 'backendError', 'Backend Error');
export const expiredCredentials = fault(401, 'authError', 'Invalid Credentials', {
  'WWW-Authenticate': 'Bearer realm="https://accounts.google.com/"',
});
