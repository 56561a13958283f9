import { xmlDocument } from '../../aws/xml.mjs';
import { checkConditions, rangeOf } from './conditions.mjs';
import { BlobError, invalidHeader, invalidQuery, missingHeader } from './errors.mjs';
import { checkLease, lease, leaseHeaders } from './leases.mjs';
import { md5Of } from './store.mjs';
import { parseTags, tagSet, tagsOfHeader } from './tags.mjs';

/** What a blob keeps of how it is to be shown, by the name of the header that sets it. */
const SHOWN = {
  'x-ms-blob-cache-control': 'Cache-Control',
  'x-ms-blob-content-disposition': 'Content-Disposition',
  'x-ms-blob-content-encoding': 'Content-Encoding',
  'x-ms-blob-content-language': 'Content-Language',
};

export function metadataOf({ headers }) {
  const found = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith('x-ms-meta-')) continue;
    const key = name.slice(10);
    if (!/^[a-z_]\w*$/i.test(key))
      throw new BlobError(
        400,
        'InvalidMetadata',
        'The metadata specified is invalid. It has characters that are not permitted.',
      );
    found[key] = String(value);
  }
  return found;
}

/** What a call says of the blob that it makes, beside its bytes. */
export function described(request) {
  const { headers } = request;
  const shown = {};
  for (const [name, as] of Object.entries(SHOWN)) if (headers[name]) shown[as] = headers[name];
  return {
    type: headers['x-ms-blob-content-type'] ?? headers['content-type'] ?? 'application/octet-stream',
    headers: shown,
    metadata: metadataOf(request),
    tags: tagsOfHeader(headers['x-ms-tags']),
    ...(headers['x-ms-access-tier'] !== undefined && { tier: tierOf(headers) }),
  };
}

const TIERS = ['Hot', 'Cool', 'Cold', 'Archive'];

function tierOf(headers) {
  const tier = headers['x-ms-access-tier'];
  if (!TIERS.includes(tier))
    throw invalidHeader('x-ms-access-tier', tier, `The tier is one of ${TIERS.join(', ')}.`);
  return tier;
}

/** Compares the bytes with the digest that a call names. */
export function checkMd5({ headers }, bytes) {
  const given = headers['content-md5'];
  if (given !== undefined && given !== md5Of(bytes))
    throw new BlobError(
      400,
      'Md5Mismatch',
      'The MD5 value specified in the request did not match with the MD5 value calculated by the server.',
    );
}

export const stampHeaders = ({ etag, modified }) => ({
  ETag: `"${etag}"`,
  'Last-Modified': new Date(modified).toUTCString(),
});

/** The blob that a call is about to change, checked against its conditions and lease; `undefined` when there is none. */
export function forWrite({ request, store, container, blob }) {
  const found = store.find(container, blob);
  checkConditions(request.headers, found);
  checkLease(request.headers, found, store.now);
  return found;
}

export function putBlob(call) {
  const { request, store, container, blob, bytes } = call;
  const kind = request.headers['x-ms-blob-type'];
  if (kind === undefined) throw missingHeader('x-ms-blob-type');
  if (kind !== 'BlockBlob' && kind !== 'AppendBlob')
    throw invalidHeader('x-ms-blob-type', kind, 'The types that are mocked are BlockBlob and AppendBlob.');
  if (kind === 'AppendBlob' && bytes.length > 0)
    throw invalidHeader('Content-Length', String(bytes.length), 'An append blob begins empty.');
  store.container(container);
  checkMd5(request, bytes);
  const said = request.headers['x-ms-blob-content-md5'];
  const before = forWrite(call);
  if (before !== undefined && before.kind !== kind && kind === 'AppendBlob') store.remove(before.id);
  const made = store.put(container, blob, {
    ...described(request),
    kind,
    content: bytes,
    ...(kind === 'BlockBlob' ? { md5: said ?? md5Of(bytes) } : { count: 0 }),
  });
  return {
    status: 201,
    headers: { ...stampHeaders(made), 'Content-MD5': md5Of(bytes), 'x-ms-request-server-encrypted': 'true' },
  };
}

/** What is shown of a blob beside its bytes. */
function propertiesOf(call, blob) {
  const { store, query } = call;
  const { copy } = blob;
  const headers = {
    ...stampHeaders(blob),
    'Accept-Ranges': 'bytes',
    'Content-Type': blob.type,
    ...blob.headers,
    'x-ms-blob-type': blob.kind,
    'x-ms-creation-time': new Date(blob.created).toUTCString(),
    'x-ms-server-encrypted': 'true',
    ...(blob.kind === 'BlockBlob' && { 'x-ms-access-tier': blob.tier }),
    ...(blob.kind === 'AppendBlob' && { 'x-ms-blob-committed-block-count': String(blob.count ?? 0) }),
    ...(blob.snapshot === undefined && leaseHeaders(blob, store.now)),
    ...(copy !== undefined && {
      'x-ms-copy-id': copy.id,
      'x-ms-copy-source': copy.source,
      'x-ms-copy-status': copyStatus(copy, store.now),
      'x-ms-copy-progress': `${blob.size}/${blob.size}`,
      'x-ms-copy-completion-time': new Date(copy.time).toUTCString(),
    }),
  };
  for (const [name, value] of Object.entries(blob.metadata)) headers[`x-ms-meta-${name}`] = value;
  const tags = Object.keys(blob.tags).length;
  if (tags > 0) headers['x-ms-tag-count'] = String(tags);
  const said = {
    rscc: 'Cache-Control',
    rscd: 'Content-Disposition',
    rsce: 'Content-Encoding',
    rscl: 'Content-Language',
    rsct: 'Content-Type',
  };
  for (const [name, as] of Object.entries(said)) if (query[name] !== undefined) headers[as] = query[name];
  return headers;
}

export const copyStatus = ({ status, until }, now) =>
  until !== undefined && now < until ? 'pending' : status;

export function getBlob(call) {
  const { request, store, container, blob: name, query } = call;
  const { headers } = request;
  const blob = store.blob(container, name, query.snapshot);
  checkLease(headers, blob, store.now, { writes: false });
  checkConditions(headers, blob, { reads: true });
  const shown = propertiesOf(call, blob);
  if (request.method === 'HEAD') {
    if (blob.md5 !== undefined) shown['Content-MD5'] = blob.md5;
    return { headers: shown, body_base64: blob.content.toString('base64') };
  }
  if (blob.tier === 'Archive')
    throw new BlobError(409, 'BlobArchived', 'This operation is not permitted on an archived blob.');
  const range = rangeOf(headers['x-ms-range'] ?? headers.range, blob.size);
  if (range === undefined) {
    if (blob.md5 !== undefined) shown['Content-MD5'] = blob.md5;
    return { status: 200, headers: shown, body_base64: blob.content.toString('base64') };
  }
  const { first, last } = range;
  const piece = blob.content.subarray(first, last + 1);
  if (blob.md5 !== undefined) shown['x-ms-blob-content-md5'] = blob.md5;
  if (headers['x-ms-range-get-content-md5'] === 'true') shown['Content-MD5'] = md5Of(piece);
  shown['Content-Range'] = `bytes ${first}-${last}/${blob.size}`;
  return { status: 206, headers: shown, body_base64: piece.toString('base64') };
}

export function deleteBlob(call) {
  const { request, store, container, blob: name, query } = call;
  const { headers } = request;
  const found = store.blob(container, name, query.snapshot);
  checkConditions(headers, found);
  if (query.snapshot !== undefined) {
    store.snapshots.remove(`${found.id}?${query.snapshot}`);
    return { status: 202 };
  }
  const snapshots = store.snapshotsOf(found.id);
  const way = headers['x-ms-delete-snapshots'];
  if (way !== undefined && way !== 'include' && way !== 'only')
    throw invalidHeader('x-ms-delete-snapshots', way);
  if (snapshots.length > 0 && way === undefined)
    throw new BlobError(
      409,
      'SnapshotsPresent',
      'This operation is not permitted because the blob has snapshots.',
    );
  if (way !== 'only') checkLease(headers, found, store.now);
  for (const { snapshot } of snapshots) store.snapshots.remove(`${found.id}?${snapshot}`);
  if (way !== 'only') store.remove(found.id);
  return { status: 202, headers: { 'x-ms-delete-type-permanent': 'true' } };
}

/** A blob that is there and may be changed. */
export function existing(call) {
  const found = forWrite(call);
  return found ?? call.store.blob(call.container, call.blob);
}

export function setMetadata(call) {
  const made = call.store.change(existing(call), { metadata: metadataOf(call.request) });
  return { headers: { ...stampHeaders(made), 'x-ms-request-server-encrypted': 'true' } };
}

export function setProperties(call) {
  const { request, store } = call;
  const { type, headers } = described(request);
  const md5 = request.headers['x-ms-blob-content-md5'];
  const isTyped = request.headers['x-ms-blob-content-type'] !== undefined;
  const made = store.change(existing(call), {
    type: isTyped ? type : 'application/octet-stream',
    headers,
    ...(md5 !== undefined && { md5 }),
  });
  return { headers: stampHeaders(made) };
}

export function setTier(call) {
  const { request, store, container, blob } = call;
  const found = store.blob(container, blob);
  if (request.headers['x-ms-access-tier'] === undefined) throw missingHeader('x-ms-access-tier');
  if (found.kind !== 'BlockBlob')
    throw new BlobError(409, 'InvalidBlobType', 'The blob type is invalid for this operation.');
  store.change(found, { tier: tierOf(request.headers) }, true);
  return { status: 200 };
}

export function getTags({ store, container, blob, query }) {
  const { tags } = store.blob(container, blob, query.snapshot);
  return { headers: { 'Content-Type': 'application/xml' }, body: xmlDocument('Tags', tagSet(tags)) };
}

export function setTags({ request, store, container, blob }) {
  const found = store.blob(container, blob);
  checkLease(request.headers, found, store.now);
  store.change(found, { tags: parseTags(request) }, true);
  return { status: 204 };
}

export function makeSnapshot(call) {
  const { request, store } = call;
  const found = store.blob(call.container, call.blob);
  checkConditions(request.headers, found);
  checkLease(request.headers, found, store.now, { writes: false });
  let time = store.now;
  // Each has a time of its own.
  const nameOf = () => new Date(time).toISOString().replace('Z', '0000Z');
  while (store.snapshots.has(`${found.id}?${nameOf()}`)) time += 1;
  const snapshot = nameOf();
  const metadata = metadataOf(request);
  const { lease: _lease, id, container: _container, name: _name, size: _size, ...row } = found;
  store.snapshots.create({
    ...row,
    etag: found.etag,
    id: `${id}?${snapshot}`,
    snapshot,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
  return { status: 201, headers: { ...stampHeaders(found), 'x-ms-snapshot': snapshot } };
}

export function leaseBlob(call) {
  const { store } = call;
  const found = store.blob(call.container, call.blob);
  return lease(call, found, 'blob', (state) => store.change(found, { lease: state }, true));
}

export function unknownPart({ query }, known) {
  return invalidQuery(
    'comp',
    query.comp,
    `The service azure-blob knows comp=${known.filter((one) => one !== '').join(', ')} here.`,
  );
}
