import { setImmediate as nextTurn } from 'node:timers/promises';
import { xmlDocument } from '../xml.mjs';
import { invalidArgument } from './errors.mjs';
import { NAMESPACE } from './objects.mjs';
import { viewOf } from './store.mjs';

const MAX_KEYS = 1000;
/** How many rows are looked at before others are served. */
const STEP = 10_000;

/** Orders keys as S3 does, by their bytes in UTF-8. */
function compareKeys(one, other) {
  if (/[\uD800-\uFFFF]/.test(one) || /[\uD800-\uFFFF]/.test(other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * A page of a list: keys, and in place of those that have the delimiter behind the prefix what they begin with.
 *
 * @param rows - with `id` or with `key`
 * @param after - the page begins behind this key or beginning
 * @returns entries, each with its `name`, and of a key its row
 */
async function page(rows, { prefix, delimiter, after, limit, keyOf, keep = () => true }) {
  let found = new Map();
  let last;
  let seen = 0;
  const cut = () => {
    const names = [...found.keys()].sort(compareKeys);
    // One more than is wanted tells that there are others.
    found = new Map(names.slice(0, limit + 1).map((name) => [name, found.get(name)]));
    if (names.length > limit) last = names[limit];
  };
  for (const row of rows) {
    seen += 1;
    if (seen % STEP === 0) await nextTurn();
    const key = keyOf(row);
    if (key === undefined || !key.startsWith(prefix) || !keep(row)) continue;
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const name = end < 0 ? key : key.slice(0, end + delimiter.length);
    if (after !== '' && compareKeys(name, after) <= 0) continue;
    if (last !== undefined && compareKeys(name, last) > 0) continue;
    if (end >= 0) found.set(name, undefined);
    else if (found.get(name) === undefined) found.set(name, [row]);
    else found.get(name).push(row);
    if (found.size > 4 * (limit + 1)) cut();
  }
  cut();
  const entries = [...found].map(([name, rowsOfName]) => ({ name, rows: rowsOfName }));
  return { entries: entries.slice(0, limit), isTruncated: entries.length > limit };
}

function limitOf(text, name) {
  if (text === undefined || text === '') return MAX_KEYS;
  if (!/^\d+$/.test(text) || Number(text) > 2_147_483_647)
    throw invalidArgument(name, text, `Argument ${name} must be an integer between 0 and 2147483647`);
  return Math.min(Number(text), MAX_KEYS);
}

/** How keys are written: as they are, or as in a url. */
function writerOf(encoding) {
  if (encoding === undefined) return (text) => text;
  if (encoding !== 'url')
    throw invalidArgument('encoding-type', encoding, 'Invalid Encoding Method specified in Request');
  return (text) => encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%20', '+');
}

function inBucket(bucket) {
  const begin = `${bucket}/`;
  return ({ id }) => (id.startsWith(begin) ? id.slice(begin.length) : undefined);
}

async function list({ query, bucket, store, isLate }, after) {
  store.bucket(bucket);
  const { prefix = '', delimiter = '', 'encoding-type': encoding } = query;
  const limit = limitOf(query['max-keys'], 'max-keys');
  const write = writerOf(encoding);
  const since = store.now - 1000 * (store.vars.list_delay ?? 0);
  const { entries, isTruncated } = await page(store.objects.values(), {
    ...{ prefix, delimiter, after, limit },
    keyOf: inBucket(bucket),
    ...(isLate === true && { keep: ({ modified }) => Date.parse(modified ?? 0) <= since }),
  });
  return {
    limit,
    write,
    isTruncated: limit > 0 && isTruncated,
    last: entries.at(-1)?.name,
    count: entries.length,
    fields: {
      Name: bucket,
      Prefix: write(prefix),
      Delimiter: delimiter === '' ? undefined : write(delimiter),
      MaxKeys: limit,
      EncodingType: encoding,
      Contents: entries
        .flatMap(({ rows = [] }) => rows)
        .map((row) => {
          const { key, modified, etag, size, storage_class: storage, checksum } = viewOf(row);
          return {
            Key: write(key),
            LastModified: modified,
            ETag: `"${etag}"`,
            ...(checksum === undefined
              ? {}
              : { ChecksumAlgorithm: checksum.algorithm, ChecksumType: checksum.type ?? 'FULL_OBJECT' }),
            Size: size,
            StorageClass: storage,
          };
        }),
      CommonPrefixes: entries
        .filter(({ rows }) => rows === undefined)
        .map(({ name }) => ({ Prefix: write(name) })),
    },
  };
}

export async function listObjectsV2(call) {
  const { 'continuation-token': token, 'start-after': startAfter = '', 'fetch-owner': owner } = call.query;
  const found = await list(call, token === undefined ? startAfter : decodeToken(token));
  if (owner === 'true') for (const one of found.fields.Contents) one.Owner = OWNER;
  return {
    body: xmlDocument(
      'ListBucketResult',
      {
        ...found.fields,
        KeyCount: found.count,
        IsTruncated: found.isTruncated,
        ContinuationToken: token,
        NextContinuationToken: found.isTruncated
          ? Buffer.from(`k:${found.last}`).toString('base64')
          : undefined,
        StartAfter: startAfter === '' ? undefined : found.write(startAfter),
      },
      NAMESPACE,
    ),
  };
}

const OWNER = {
  ID: '75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a',
  DisplayName: 'backlot',
};

function decodeToken(token) {
  const text = Buffer.from(token, 'base64').toString();
  if (text.startsWith('k:')) return text.slice(2);
  throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect');
}

export async function listObjects(call) {
  const { marker = '' } = call.query;
  const found = await list(call, marker);
  const hasNext = found.isTruncated && (call.query.delimiter ?? '') !== '';
  for (const one of found.fields.Contents) one.Owner = OWNER;
  return {
    body: xmlDocument(
      'ListBucketResult',
      {
        ...found.fields,
        IsTruncated: found.isTruncated,
        Marker: found.write(marker),
        NextMarker: hasNext ? found.write(found.last) : undefined,
      },
      NAMESPACE,
    ),
  };
}

export async function listVersions({ query, bucket, store }) {
  store.bucket(bucket);
  const { prefix = '', delimiter = '', 'key-marker': after = '', 'encoding-type': encoding } = query;
  const limit = limitOf(query['max-keys'], 'max-keys');
  const write = writerOf(encoding);
  const own = inBucket(bucket);
  // Of a version, the id has the version behind the key.
  const keyOf = ({ id }) => own({ id: id.slice(0, id.lastIndexOf('?')) });
  function* all() {
    yield* store.versions.values();
    for (const row of store.objects.values()) yield { ...row, id: `${row.id}?` };
  }
  const found = await page(all(), { prefix, delimiter, after, limit, keyOf });
  // A page holds all versions of the keys in it.
  const versions = found.entries.flatMap(({ name, rows = [] }) => {
    const newest = [...rows].reverse();
    return newest.map((row, index) => ({ ...row, key: name, isLatest: index === 0 }));
  });
  const shown = (row) => {
    const { version = 'null', modified } = row;
    const fields = {
      Key: write(row.key),
      VersionId: version,
      IsLatest: row.isLatest,
      LastModified: modified,
      Owner: OWNER,
    };
    if (row.marker === true) return fields;
    const { etag, size, storage_class: storage } = viewOf(row);
    return { ...fields, ETag: `"${etag}"`, Size: size, StorageClass: storage };
  };
  return {
    body: xmlDocument(
      'ListVersionsResult',
      {
        Name: bucket,
        Prefix: write(prefix),
        Delimiter: delimiter === '' ? undefined : write(delimiter),
        KeyMarker: write(after),
        NextKeyMarker: found.isTruncated ? write(found.entries.at(-1)?.name ?? '') : undefined,
        MaxKeys: limit,
        EncodingType: encoding,
        IsTruncated: found.isTruncated,
        Version: versions.filter(({ marker }) => marker !== true).map(shown),
        DeleteMarker: versions.filter(({ marker }) => marker === true).map(shown),
        CommonPrefixes: found.entries
          .filter(({ rows }) => rows === undefined)
          .map(({ name }) => ({ Prefix: write(name) })),
      },
      NAMESPACE,
    ),
  };
}

export async function listUploads({ query, bucket, store }) {
  store.bucket(bucket);
  const { prefix = '', delimiter = '', 'key-marker': after = '', 'encoding-type': encoding } = query;
  const limit = limitOf(query['max-uploads'], 'max-uploads');
  const write = writerOf(encoding);
  const found = await page(store.uploads.values(), {
    ...{ prefix, delimiter, after, limit },
    keyOf: (row) => (row.bucket === bucket ? row.key : undefined),
  });
  return {
    body: xmlDocument(
      'ListMultipartUploadsResult',
      {
        Bucket: bucket,
        KeyMarker: write(after),
        NextKeyMarker: found.isTruncated ? write(found.entries.at(-1)?.name ?? '') : undefined,
        MaxUploads: limit,
        IsTruncated: found.isTruncated,
        Prefix: write(prefix),
        EncodingType: encoding,
        Upload: found.entries.flatMap(({ rows = [] }) =>
          rows.map(({ id, key, initiated }) => ({
            Key: write(key),
            UploadId: id,
            StorageClass: 'STANDARD',
            Initiated: initiated,
          })),
        ),
        CommonPrefixes: found.entries
          .filter(({ rows }) => rows === undefined)
          .map(({ name }) => ({ Prefix: write(name) })),
      },
      NAMESPACE,
    ),
  };
}
