import { elements, listOf, xmlDocument } from '../xml.mjs';
import { algorithmOf, checkBody, checksumFields, checksumHeaders, digest } from './checksums.mjs';
import { checkRead, checkSource, checkWrite, rangeOf } from './conditions.mjs';
import { S3Error, invalidArgument, malformedXml, notImplemented } from './errors.mjs';
import { parseTags, tagsOfHeader } from './tagging.mjs';

export const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** The headers that an object keeps and that come back with it. */
const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-amz-website-redirect-location',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id',
];
const REFUSED = [
  'x-amz-object-lock-mode',
  'x-amz-object-lock-legal-hold',
  'x-amz-server-side-encryption-customer-key',
];
const MAX_METADATA = 2048;

/** What a request says of the object that it makes, beside its bytes. */
export function describe({ headers }) {
  for (const name of REFUSED) if (headers[name] !== undefined) throw notImplemented(name);
  const metadata = {};
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('x-amz-meta-')) metadata[name.slice(11)] = String(value);
  const size = Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > MAX_METADATA)
    throw new S3Error(
      400,
      'MetadataTooLarge',
      'Your metadata headers exceed the maximum allowed metadata size',
      { Size: size, MaxSizeAllowed: MAX_METADATA },
    );
  const kept = {};
  for (const name of KEPT) {
    // What a body was sent in is not what it is.
    const value = headers[name]
      ?.split(',')
      .map((one) => one.trim())
      .filter((one) => one !== 'aws-chunked')
      .join(',');
    if (value !== undefined && value !== '') kept[name] = name === 'expires' ? headers[name] : value;
  }
  return {
    type: headers['content-type'] ?? 'binary/octet-stream',
    metadata,
    headers: kept,
    storage_class: headers['x-amz-storage-class'] ?? 'STANDARD',
    ...(headers['x-amz-acl'] === undefined ? {} : { acl: headers['x-amz-acl'] }),
  };
}

export async function putObject({ request, bucket, key, store, bytes }) {
  store.bucket(bucket);
  const fields = { ...describe(request), tags: tagsOfHeader(request.headers['x-amz-tagging']) };
  const checksum = await checkBody(request, bytes);
  const etag = (await digest('MD5', bytes)).toString('hex');
  checkWrite(request.headers, () => store.object(bucket, key), key);
  const { versionId } = store.put(bucket, key, {
    ...fields,
    size: bytes.length,
    etag,
    checksum,
    content: bytes,
  });
  return {
    headers: {
      ETag: `"${etag}"`,
      ...checksumHeaders(checksum),
      ...versionHeader(versionId),
      ...encryptionOf(fields.headers),
    },
  };
}

export function versionHeader(version) {
  return version === undefined ? {} : { 'x-amz-version-id': version };
}

function encryptionOf(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-server-side')));
}

/** The parameters of a read that say another header for the answer. */
const OVERRIDES = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];

export function getObject({ request, bucket, key, store, query }) {
  if (query.partNumber !== undefined) throw notImplemented('partNumber of a read');
  const object = store.object(bucket, key, query.versionId);
  const { headers } = request;
  const shown = {
    ETag: `"${object.etag}"`,
    'Last-Modified': new Date(object.modified).toUTCString(),
    'Accept-Ranges': 'bytes',
    ...(store.bucket(bucket).versioning === undefined ? {} : versionHeader(object.version)),
  };
  if (checkRead(headers, object)) return { status: 304, headers: shown };
  const tags = Object.keys(object.tags).length;
  for (const [name, value] of Object.entries(object.metadata)) shown[`x-amz-meta-${name}`] = value;
  Object.assign(shown, { 'content-type': object.type }, object.headers);
  if (object.storage_class !== 'STANDARD') shown['x-amz-storage-class'] = object.storage_class;
  if (tags > 0) shown['x-amz-tagging-count'] = String(tags);
  for (const name of OVERRIDES) {
    const value = query[`response-${name}`];
    if (value !== undefined) shown[name] = value;
  }
  const range = rangeOf(headers.range, object.size);
  if (range === undefined) {
    if (headers['x-amz-checksum-mode'] === 'ENABLED') Object.assign(shown, checksumHeaders(object.checksum));
    return bytesAnswer(200, shown, object.content);
  }
  const { first, last } = range;
  shown['Content-Range'] = `bytes ${first}-${last}/${object.size}`;
  return bytesAnswer(206, shown, object.content.subarray(first, last + 1));
}

function bytesAnswer(status, headers, bytes) {
  return { status, headers, body_base64: bytes };
}

/** What a header names as the source of a copy. */
export function sourceOf({ headers }, store) {
  const text = headers['x-amz-copy-source'];
  const [path, search = ''] = text.split('?');
  let bucket;
  let key;
  try {
    [, bucket, key] = /^\/?([^/]+)\/(.+)$/.exec(decodeURIComponent(path)) ?? [];
  } catch {
    // What cannot be decoded names nothing.
  }
  if (key === undefined)
    throw invalidArgument(
      'x-amz-copy-source',
      text,
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  const object = store.object(bucket, key, new URLSearchParams(search).get('versionId') ?? undefined);
  checkSource(headers, object);
  return object;
}

export async function copyObject({ request, bucket, key, store }) {
  store.bucket(bucket);
  const { headers } = request;
  const source = sourceOf(request, store);
  const replaces = headers['x-amz-metadata-directive'] === 'REPLACE';
  const described = describe(request);
  const isSame = source.bucket === bucket && source.key === key;
  if (isSame && !replaces && headers['x-amz-storage-class'] === undefined)
    throw new S3Error(
      400,
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  const { content, size, checksum: before } = source;
  const algorithm =
    headers['x-amz-checksum-algorithm'] === undefined
      ? (before?.algorithm ?? 'CRC64NVME')
      : algorithmOf(headers);
  const checksum = { algorithm, value: (await digest(algorithm, content)).toString('base64') };
  const etag = (await digest('MD5', content)).toString('hex');
  const kept = replaces
    ? described
    : {
        type: source.type,
        metadata: source.metadata,
        headers: { ...source.headers, ...encryptionOf(described.headers) },
        storage_class: described.storage_class,
        ...(described.acl === undefined ? {} : { acl: described.acl }),
      };
  const tags =
    headers['x-amz-tagging-directive'] === 'REPLACE' ? tagsOfHeader(headers['x-amz-tagging']) : source.tags;
  checkWrite(headers, () => store.object(bucket, key), key);
  const made = store.put(bucket, key, { ...kept, tags, content, size, etag, checksum });
  return {
    headers: {
      ...versionHeader(made.versionId),
      ...(source.version === 'null' ? {} : { 'x-amz-copy-source-version-id': source.version }),
    },
    body: xmlDocument(
      'CopyObjectResult',
      { LastModified: made.modified, ETag: `"${etag}"`, ...checksumFields(checksum) },
      NAMESPACE,
    ),
  };
}

export function deleteObject({ request, bucket, key, store, query }) {
  const { 'if-match': match } = request.headers;
  if (match !== undefined) checkWrite({ 'if-match': match }, () => store.object(bucket, key), key);
  const { version, marker } = store.remove(bucket, key, query.versionId);
  return {
    status: 204,
    headers: { ...versionHeader(version), ...(marker === true ? { 'x-amz-delete-marker': 'true' } : {}) },
  };
}

const MAX_DELETED = 1000;

export async function deleteObjects({ request, bucket, store, bytes }) {
  store.bucket(bucket);
  await checkBody(request, bytes);
  const wanted = request.xml?.Delete;
  const objects = listOf(wanted?.Object);
  if (objects.length === 0 || objects.length > MAX_DELETED) throw malformedXml();
  const done = objects.map(({ Key, VersionId, ETag }) => {
    if (typeof Key !== 'string') throw malformedXml();
    try {
      if (ETag !== undefined) checkWrite({ 'if-match': ETag }, () => store.object(bucket, Key), Key);
    } catch (error) {
      return ['Error', { Key, VersionId, Code: error.code, Message: error.message }];
    }
    const { version, marker } = store.remove(bucket, Key, VersionId);
    return [
      'Deleted',
      {
        Key,
        VersionId,
        ...(marker === true ? { DeleteMarker: true, DeleteMarkerVersionId: version } : {}),
      },
    ];
  });
  const isQuiet = wanted.Quiet === 'true';
  const shown = done.filter(([name]) => name === 'Error' || !isQuiet);
  const namespace = ` xmlns="${NAMESPACE}"`;
  const inner = shown.map(([name, fields]) => elements({ [name]: fields })).join('');
  return {
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<DeleteResult${namespace}>${inner}</DeleteResult>`,
  };
}

export function getAttributes({ request, bucket, key, store, query }) {
  const object = store.object(bucket, key, query.versionId);
  const wanted = new Set(
    (request.headers['x-amz-object-attributes'] ?? '').split(',').map((one) => one.trim()),
  );
  const has = (name, value) => (wanted.has(name) ? { [name]: value } : {});
  return {
    headers: {
      'Last-Modified': new Date(object.modified).toUTCString(),
      ...(store.bucket(bucket).versioning === undefined ? {} : versionHeader(object.version)),
    },
    body: xmlDocument(
      'GetObjectAttributesResponse',
      {
        ...has('ETag', object.etag),
        ...has('Checksum', checksumFields(object.checksum)),
        ...has(
          'ObjectParts',
          object.part_count === undefined ? undefined : { PartsCount: object.part_count },
        ),
        ...has('StorageClass', object.storage_class),
        ...has('ObjectSize', object.size),
      },
      NAMESPACE,
    ),
  };
}

export function getTagging({ bucket, key, store, query }) {
  const { tags } = store.object(bucket, key, query.versionId);
  return { body: taggingDocument(tags) };
}

export function putTagging({ request, bucket, key, store, query }) {
  const object = store.object(bucket, key, query.versionId);
  store.change(object, { tags: parseTags(request, 10) });
  return {};
}

export function deleteTagging({ bucket, key, store, query }) {
  store.change(store.object(bucket, key, query.versionId), { tags: {} });
  return { status: 204 };
}

export function taggingDocument(tags) {
  const set = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return xmlDocument('Tagging', { TagSet: { Tag: set } }, NAMESPACE);
}
