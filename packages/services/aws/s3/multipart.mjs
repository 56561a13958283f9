import { addressOf } from '../request.mjs';
import { listOf, xmlDocument } from '../xml.mjs';
import { ALGORITHMS, algorithmOf, checkBody, checksumFields, checksumHeaders, digest } from './checksums.mjs';
import { checkWrite, rangeOf } from './conditions.mjs';
import { S3Error, invalidArgument, malformedXml } from './errors.mjs';
import { NAMESPACE, describe, sourceOf, versionHeader } from './objects.mjs';
import { tagsOfHeader } from './tagging.mjs';

const MAX_PART = 10_000;
const MIN_SIZE = 5 * 1024 * 1024;

export function createUpload({ request, bucket, key, store }) {
  store.bucket(bucket);
  const { headers } = request;
  const algorithm = algorithmOf(headers);
  const { id } = store.uploads.create({
    ...describe(request),
    id: store.token(64),
    bucket,
    key,
    tags: tagsOfHeader(headers['x-amz-tagging']),
    algorithm,
    checksum_type:
      headers['x-amz-checksum-type'] ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE'),
    initiated: store.modified,
  });
  return {
    headers: { 'x-amz-checksum-algorithm': algorithm },
    body: xmlDocument('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id }, NAMESPACE),
  };
}

function findUpload({ query, bucket, key, store }) {
  store.bucket(bucket);
  const { uploadId: id } = query;
  const found = store.uploads.has(id) ? store.uploads.get(id) : undefined;
  if (found?.bucket === bucket && found.key === key) return found;
  throw new S3Error(
    404,
    'NoSuchUpload',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
    { UploadId: id },
  );
}

function partsOf({ id }, { parts }) {
  const found = [];
  for (const row of parts.values()) if (row.upload === id) found.push(row);
  return found.sort((one, other) => one.number - other.number);
}

function numberOf({ partNumber: text }) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= MAX_PART) return number;
  throw invalidArgument(
    'partNumber',
    text,
    `Part number must be an integer between 1 and ${MAX_PART}, inclusive`,
  );
}

async function keepPart(call, upload, content, checksum) {
  const { store } = call;
  const number = numberOf(call.query);
  const etag = (await digest('MD5', content)).toString('hex');
  // It may have been ended meanwhile.
  findUpload(call);
  const id = `${upload.id}/${number}`;
  const row = { id, upload: upload.id, number, size: content.length, etag, checksum, content };
  if (store.parts.has(id)) store.parts.replace(id, { ...row, modified: store.modified });
  else store.parts.create({ ...row, modified: store.modified });
  return etag;
}

export async function uploadPart(call) {
  const { request, bytes } = call;
  const upload = findUpload(call);
  numberOf(call.query);
  const named = ALGORITHMS.some(
    (one) => request.headers[`x-amz-checksum-${one.toLowerCase()}`] !== undefined,
  );
  const headers = named
    ? request.headers
    : { ...request.headers, 'x-amz-sdk-checksum-algorithm': upload.algorithm, 'x-amz-trailer': undefined };
  const checksum = await checkBody({ headers }, bytes);
  const etag = await keepPart(call, upload, bytes, checksum);
  return { headers: { ETag: `"${etag}"`, ...checksumHeaders({ ...checksum }) } };
}

export async function copyPart(call) {
  const { request, store } = call;
  const upload = findUpload(call);
  numberOf(call.query);
  const source = sourceOf(request, store);
  const range = rangeOf(request.headers['x-amz-copy-source-range'], source.size);
  const content = range === undefined ? source.content : source.content.subarray(range.first, range.last + 1);
  const { algorithm } = upload;
  const checksum = { algorithm, value: (await digest(algorithm, content)).toString('base64') };
  const etag = await keepPart(call, upload, content, checksum);
  return {
    body: xmlDocument(
      'CopyPartResult',
      { LastModified: store.modified, ETag: `"${etag}"`, [`Checksum${algorithm}`]: checksum.value },
      NAMESPACE,
    ),
  };
}

function chooseParts(wanted, parts, smallest) {
  if (wanted.length === 0) throw malformedXml();
  const byNumber = new Map(parts.map((part) => [String(part.number), part]));
  const chosen = wanted.map(({ PartNumber: number, ETag: etag }) => {
    const part = byNumber.get(number);
    if (typeof number !== 'string' || typeof etag !== 'string') throw malformedXml();
    if (part?.etag === etag.replaceAll('"', '')) return part;
    throw new S3Error(
      400,
      'InvalidPart',
      "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
      { PartNumber: number, ETag: etag },
    );
  });
  if (chosen.some(({ number }, index) => index > 0 && number <= chosen[index - 1].number))
    throw new S3Error(
      400,
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
    );
  for (const [index, part] of chosen.entries()) {
    if (index < chosen.length - 1 && part.size < smallest)
      throw new S3Error(
        400,
        'EntityTooSmall',
        'Your proposed upload is smaller than the minimum allowed size',
        { ProposedSize: part.size, MinSizeAllowed: smallest, PartNumber: part.number, ETag: part.etag },
      );
  }
  return chosen;
}

export async function completeUpload(call) {
  const { request, bucket, key, store, base } = call;
  const upload = findUpload(call);
  const wanted = listOf(request.xml?.CompleteMultipartUpload?.Part);
  const parts = chooseParts(wanted, partsOf(upload, store), store.vars.min_part ?? MIN_SIZE);
  const content = Buffer.concat(parts.map((part) => part.content));
  const { algorithm, checksum_type: type } = upload;
  const value =
    type === 'COMPOSITE'
      ? `${(await digest(algorithm, Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum.value, 'base64'))))).toString('base64')}-${parts.length}`
      : (await digest(algorithm, content)).toString('base64');
  const checksum = { algorithm, value, type };
  const sums = Buffer.concat(parts.map((part) => Buffer.from(part.etag, 'hex')));
  const etag = `${(await digest('MD5', sums)).toString('hex')}-${parts.length}`;
  findUpload(call);
  checkWrite(request.headers, () => store.object(bucket, key), key);
  const {
    id: _id,
    initiated: _initiated,
    algorithm: _algorithm,
    checksum_type: _type,
    ...described
  } = upload;
  // The parts make room for the whole.
  endUpload(upload, store);
  const { versionId } = store.put(bucket, key, {
    ...{ ...described, checksum, content, etag },
    size: content.length,
    part_count: parts.length,
  });
  return {
    headers: versionHeader(versionId),
    body: xmlDocument(
      'CompleteMultipartUploadResult',
      {
        Location: `${addressOf(request, base)}/${bucket}/${encodeURI(key)}`,
        Bucket: bucket,
        Key: key,
        ETag: `"${etag}"`,
        ...checksumFields(checksum),
      },
      NAMESPACE,
    ),
  };
}

function endUpload(upload, store) {
  for (const { id } of partsOf(upload, store)) store.parts.remove(id);
  store.uploads.remove(upload.id);
}

export function abortUpload(call) {
  endUpload(findUpload(call), call.store);
  return { status: 204 };
}

export function listParts(call) {
  const { bucket, key, store, query } = call;
  const upload = findUpload(call);
  const { 'part-number-marker': marker = '0', 'max-parts': limit = '1000' } = query;
  const all = partsOf(upload, store).filter(({ number }) => number > Number(marker));
  const shown = all.slice(0, Math.min(Number(limit) || 0, 1000));
  const isTruncated = shown.length < all.length;
  return {
    body: xmlDocument(
      'ListPartsResult',
      {
        Bucket: bucket,
        Key: key,
        UploadId: upload.id,
        PartNumberMarker: marker,
        NextPartNumberMarker: isTruncated ? (shown.at(-1)?.number ?? 0) : undefined,
        MaxParts: limit,
        IsTruncated: isTruncated,
        ChecksumAlgorithm: upload.algorithm,
        ChecksumType: upload.checksum_type,
        StorageClass: upload.storage_class,
        Part: shown.map(({ number, modified, etag, size, checksum }) => ({
          PartNumber: number,
          LastModified: modified,
          ETag: `"${etag}"`,
          Size: size,
          ...(checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: checksum.value }),
        })),
      },
      NAMESPACE,
    ),
  };
}
