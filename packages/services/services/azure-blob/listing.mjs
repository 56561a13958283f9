import { elements, escapeXml } from '../../aws/xml.mjs';
import { copyStatus } from './blobs.mjs';
import { invalidQuery } from './errors.mjs';
import { leaseState } from './leases.mjs';
import { viewOf } from './store.mjs';
import { parseWhere, tagSet } from './tags.mjs';

const MOST = 5000;
const compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function limitOf({ maxresults: text }) {
  if (text === undefined || text === '') return MOST;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1)
    throw invalidQuery('maxresults', text, `maxresults must be a number from 1 to ${MOST}.`);
  return Math.min(limit, MOST);
}

const markerOf = (name) => Buffer.from(`n:${name}`).toString('base64url');

function afterOf({ marker }) {
  if (marker === undefined || marker === '') return undefined;
  const text = Buffer.from(marker, 'base64url').toString();
  if (!text.startsWith('n:')) throw invalidQuery('marker', marker);
  return text.slice(2);
}

/** One page of what is sorted by `name`, and the marker of the next. */
function pageOf(entries, query) {
  const limit = limitOf(query);
  const from = afterOf(query);
  const rest = from === undefined ? entries : entries.filter(({ name }) => compare(name, from) >= 0);
  const next = rest[limit];
  return { page: rest.slice(0, limit), limit, next: next === undefined ? '' : markerOf(next.name) };
}

const lease = (thing, now) => {
  const state = leaseState(thing, now);
  const isLocked = state === 'leased' || state === 'breaking';
  return {
    LeaseStatus: isLocked ? 'locked' : 'unlocked',
    LeaseState: state,
    LeaseDuration: state === 'leased' ? (thing.lease.until === undefined ? 'infinite' : 'fixed') : undefined,
  };
};

function answer({ account, base, request }, container, inner) {
  const endpoint = escapeXml(`${request.scheme}://${request.host}${base}/${account.name}/`);
  const name = container === undefined ? '' : ` ContainerName="${escapeXml(container)}"`;
  return {
    headers: { 'Content-Type': 'application/xml' },
    body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="${endpoint}"${name}>${inner}</EnumerationResults>`,
  };
}

export function listContainers(call) {
  const { store, query } = call;
  const { prefix = '', include = '' } = query;
  const entries = store.containers
    .list()
    .filter(({ id }) => id.startsWith(prefix))
    .map((row) => ({ ...row, name: row.id }))
    .sort((a, b) => compare(a.name, b.name));
  const { page, limit, next } = pageOf(entries, query);
  const shown = page.map((row) => ({
    Name: row.name,
    Properties: {
      'Last-Modified': new Date(row.modified).toUTCString(),
      Etag: `"${row.etag}"`,
      ...lease(row, store.now),
      PublicAccess: row.public_access,
    },
    Metadata: include.includes('metadata') ? (row.metadata ?? {}) : undefined,
  }));
  return answer(
    call,
    undefined,
    elements({ Prefix: prefix, MaxResults: limit, Containers: { Container: shown }, NextMarker: next }),
  );
}

/** The blobs of a container by name, the ones of one name with their snapshots first. */
function* blobsOf({ store, container, query }, includes) {
  const begin = `${container}/${query.prefix ?? ''}`;
  const start = container.length + 1;
  for (const row of store.blobs.values()) if (row.id.startsWith(begin)) yield viewOf(row);
  if (includes.has('snapshots'))
    for (const row of store.snapshots.values())
      if (row.id.startsWith(begin)) yield viewOf(row, row.id.slice(0, row.id.lastIndexOf('?')));
  if (!includes.has('uncommittedblobs')) return;
  const seen = new Set();
  for (const { id } of store.blocks.values()) {
    const name = id.slice(0, id.lastIndexOf('?'));
    if (!name.startsWith(begin) || name.length <= start || store.blobs.has(name) || seen.has(name)) continue;
    seen.add(name);
    yield viewOf({ id: name });
  }
}

export function listBlobs(call) {
  const { store, container, query } = call;
  store.container(container);
  const { prefix = '', delimiter = '', include = '' } = query;
  const includes = new Set(include.split(','));
  const named = new Map();
  for (const blob of blobsOf(call, includes)) {
    const end = delimiter === '' ? -1 : blob.name.indexOf(delimiter, prefix.length);
    const name = end < 0 ? blob.name : blob.name.slice(0, end + delimiter.length);
    if (end >= 0) named.set(`${name}\0`, { name, isPrefix: true });
    else named.set(`${name}\0${blob.snapshot ?? '~'}`, { name, blob });
  }
  const entries = [...named].sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
  const { page, limit, next } = pageOf(entries, query);
  const inner = page.map(({ name, isPrefix, blob }) =>
    isPrefix === true
      ? elements({ BlobPrefix: { Name: name } })
      : elements({ Blob: blobItem(blob, includes, store.now) }),
  );
  const head = elements({
    Prefix: prefix,
    MaxResults: limit,
    ...(delimiter !== '' && { Delimiter: delimiter }),
  });
  return answer(call, container, `${head}<Blobs>${inner.join('')}</Blobs>${elements({ NextMarker: next })}`);
}

function blobItem(blob, includes, now) {
  const { headers, copy } = blob;
  const tags = Object.keys(blob.tags).length;
  return {
    Name: blob.name,
    Snapshot: blob.snapshot,
    Properties: {
      'Creation-Time': new Date(blob.created).toUTCString(),
      'Last-Modified': new Date(blob.modified).toUTCString(),
      Etag: `"${blob.etag}"`,
      'Content-Length': blob.size,
      'Content-Type': blob.type,
      'Content-Encoding': headers['Content-Encoding'],
      'Content-Language': headers['Content-Language'],
      'Content-MD5': blob.md5,
      'Cache-Control': headers['Cache-Control'],
      'Content-Disposition': headers['Content-Disposition'],
      BlobType: blob.kind,
      AccessTier: blob.kind === 'BlockBlob' ? blob.tier : undefined,
      ...(blob.snapshot === undefined && lease(blob, now)),
      ServerEncrypted: true,
      ...(includes.has('copy') &&
        copy !== undefined && {
          CopyId: copy.id,
          CopySource: copy.source,
          CopyStatus: copyStatus(copy, now),
          CopyProgress: `${blob.size}/${blob.size}`,
        }),
      TagCount: tags === 0 ? undefined : tags,
    },
    Metadata: includes.has('metadata') ? blob.metadata : undefined,
    Tags: includes.has('tags') && tags > 0 ? tagSet(blob.tags) : undefined,
  };
}

export function findByTags(call) {
  const { store, query, container } = call;
  const test = parseWhere(query.where);
  const entries = store.blobs
    .list()
    .map((row) => viewOf(row))
    .filter((blob) => (container === '' || blob.container === container) && test(blob))
    .map((blob) => ({ ...blob, place: blob.name, name: blob.id }))
    .sort((a, b) => compare(a.name, b.name));
  const { page, next } = pageOf(entries, query);
  const Blob = page.map(({ place, container: ContainerName, tags }) => ({
    Name: place,
    ContainerName,
    Tags: tagSet(tags),
  }));
  return answer(call, undefined, elements({ Where: query.where, Blobs: { Blob }, NextMarker: next }));
}
