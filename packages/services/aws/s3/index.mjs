import { bytesOf, signedAt, signerOf, textOf } from '../request.mjs';
import * as buckets from './buckets.mjs';
import { S3Error, errorAnswer, notImplemented } from './errors.mjs';
import * as listing from './listing.mjs';
import * as multipart from './multipart.mjs';
import * as objects from './objects.mjs';
import { Store } from './store.mjs';

/** What a request to a bucket means by its method and the parameter that names a part of it; '' is the bucket itself. */
const BUCKET = {
  GET: {
    location: buckets.getLocation,
    versioning: buckets.getVersioning,
    tagging: buckets.getBucketTagging,
    versions: listing.listVersions,
    uploads: listing.listUploads,
    '': (call) => (call.query['list-type'] === '2' ? listing.listObjectsV2(call) : listing.listObjects(call)),
  },
  HEAD: { '': buckets.headBucket },
  PUT: { versioning: buckets.putVersioning, tagging: buckets.putBucketTagging, '': buckets.createBucket },
  POST: { delete: objects.deleteObjects },
  DELETE: { tagging: buckets.deleteBucketTagging, '': buckets.deleteBucket },
};

/** The same for an object. */
const OBJECT = {
  GET: {
    tagging: objects.getTagging,
    attributes: objects.getAttributes,
    uploadId: multipart.listParts,
    '': objects.getObject,
  },
  HEAD: { '': objects.getObject },
  PUT: {
    tagging: objects.putTagging,
    uploadId: (call) => (isCopy(call) ? multipart.copyPart(call) : multipart.uploadPart(call)),
    '': (call) => (isCopy(call) ? objects.copyObject(call) : objects.putObject(call)),
  },
  POST: { uploads: multipart.createUpload, uploadId: multipart.completeUpload },
  DELETE: { tagging: objects.deleteTagging, uploadId: multipart.abortUpload, '': objects.deleteObject },
};

/** Parameters that name a part of a bucket or an object that is not mocked. */
const OTHERS =
  'abac accelerate acl analytics cors encryption intelligent-tiering inventory legal-hold lifecycle logging metadataConfiguration metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session torrent website'.split(
    ' ',
  );

function isCopy({ request }) {
  return request.headers['x-amz-copy-source'] !== undefined;
}

const MAX_KEY = 1024;
const MINUTE = 60_000;

/**
 * The functions of S3 for the mocks of a service.
 *
 * @param collections - what the names of its collections begin with, such as `aws-s3:`
 * @param base - the path of the service
 */
export function makeS3({ collections, base }) {
  const answer = (options) => async (request, context) => {
    const store = new Store(collections, context);
    const ids = { 'x-amz-request-id': store.token(16).toUpperCase(), 'x-amz-id-2': store.token(56) };
    try {
      checkLink(request, store.now);
      const call = { ...placeOf(request, base), ...options, request, store, base };
      const made = await operationOf(
        request.method,
        call,
      )({
        ...call,
        bytes: bytesOf(request),
        region: signerOf(request).region,
      });
      const type = made.body === undefined ? {} : { 'Content-Type': 'application/xml' };
      return { ...made, headers: { ...type, ...ids, ...made.headers } };
    } catch (error) {
      if (error instanceof S3Error) return errorAnswer(error, { path: request.path, ids });
      // Of all services together, not of S3: it has no such limit.
      if (error.code !== 'too_large') throw error;
      const refused = new S3Error(400, 'EntityTooLarge', `There is no room: ${error.message}`);
      return errorAnswer(refused, { path: request.path, ids });
    }
  };
  return {
    answer: answer({}),
    /** Lists do not know yet what is newer than `list_delay` of the variables of the service. */
    listLate: answer({ isLate: true }),
  };
}

/** The bucket and the key of a request: of its path, or the bucket of its host name. */
function placeOf(request, base) {
  const query = Object.fromEntries(
    Object.entries(request.query).map(([name, value]) => [name, textOf(value)]),
  );
  const path = request.path.slice(base.length).replace(/^\//, '');
  const bucket = bucketOfHost(request.host);
  const slash = path.indexOf('/');
  const [name, rest] =
    bucket !== undefined
      ? [bucket, path]
      : slash < 0
        ? [path, '']
        : [path.slice(0, slash), path.slice(slash + 1)];
  const key = decode(rest);
  if (Buffer.byteLength(key) > MAX_KEY)
    throw new S3Error(400, 'KeyTooLongError', 'Your key is too long', {
      Size: Buffer.byteLength(key),
      MaxSizeAllowed: MAX_KEY,
    });
  return { query, bucket: decode(name), key };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.", { URI: text });
  }
}

/** The bucket of `photos.s3.localhost`, and of `photos.localhost`, where an endpoint is `localhost`. */
export function bucketOfHost(host) {
  const name = /^(.+)\.localhost(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  const bucket = name.replace(/(?:^|\.)(?:aws|s3|s3\.aws|aws-s3)$/, '');
  return bucket === '' ? undefined : bucket;
}

function operationOf(method, { query, bucket, key }) {
  if (bucket === '') {
    if (method === 'GET') return buckets.listBuckets;
    throw methodNotAllowed(method, ['GET']);
  }
  const other = OTHERS.find((name) => query[name] !== undefined);
  const known = key === '' ? BUCKET : OBJECT;
  const names = Object.values(known).flatMap((one) => Object.keys(one));
  const list = [...new Set(names)].filter((one) => one !== '').join(', ');
  if (other !== undefined) throw notImplemented(other, list);
  const byPart = Object.hasOwn(known, method) ? known[method] : undefined;
  if (byPart === undefined) throw methodNotAllowed(method, Object.keys(known));
  const part = Object.keys(byPart).find((name) => name !== '' && query[name] !== undefined) ?? '';
  if (byPart[part] !== undefined) return byPart[part];
  if (method === 'POST') throw notImplemented('a POST of a form', list);
  throw methodNotAllowed(method, Object.keys(known));
}

function methodNotAllowed(method, allowed) {
  return new S3Error(
    405,
    'MethodNotAllowed',
    'The specified method is not allowed against this resource.',
    { Method: method },
    { Allow: allowed.join(', ') },
  );
}

/** A link that was signed beforehand is good for a while. */
function checkLink(request, now) {
  const text = textOf(request.query['X-Amz-Expires']);
  if (text === undefined) return;
  const signed = signedAt(request);
  if (!/^\d+$/.test(text) || signed === undefined)
    throw new S3Error(
      400,
      'AuthorizationQueryParametersError',
      'X-Amz-Expires should be a number, and X-Amz-Date a date',
    );
  if (signed > now + 15 * MINUTE)
    throw new S3Error(403, 'AccessDenied', 'Request is not yet valid', { ServerTime: iso(now) });
  const until = signed + Number(text) * 1000;
  if (now > until)
    throw new S3Error(403, 'AccessDenied', 'Request has expired', {
      'X-Amz-Expires': text,
      Expires: iso(until),
      ServerTime: iso(now),
    });
}

function iso(time) {
  return new Date(time).toISOString();
}
