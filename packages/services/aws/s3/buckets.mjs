import { xmlDocument } from '../xml.mjs';
import { S3Error, malformedXml } from './errors.mjs';
import { NAMESPACE, taggingDocument } from './objects.mjs';
import { parseTags } from './tagging.mjs';

const NAME = /^(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export function listBuckets({ query, store }) {
  const { prefix = '', 'continuation-token': token, 'max-buckets': limit = '10000' } = query;
  const after = token === undefined ? '' : Buffer.from(token, 'base64').toString();
  const all = store.buckets
    .list()
    .filter(({ id }) => id.startsWith(prefix) && id > after)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const shown = all.slice(0, Number(limit));
  const last = shown.at(-1)?.id ?? '';
  return {
    body: xmlDocument(
      'ListAllMyBucketsResult',
      {
        Owner: { ID: '75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a' },
        Buckets: {
          Bucket: shown.map(({ id, created, region }) => ({
            Name: id,
            CreationDate: created,
            BucketRegion: region,
          })),
        },
        ContinuationToken: shown.length < all.length ? Buffer.from(last).toString('base64') : undefined,
      },
      NAMESPACE,
    ),
  };
}

export function createBucket({ request, bucket, store, region }) {
  if (!NAME.test(bucket))
    throw new S3Error(400, 'InvalidBucketName', 'The specified bucket is not valid.', { BucketName: bucket });
  if (store.buckets.has(bucket))
    throw new S3Error(
      409,
      'BucketAlreadyOwnedByYou',
      'Your previous request to create the named bucket succeeded and you already own it.',
      { BucketName: bucket },
    );
  if (request.raw_body !== undefined && request.xml === undefined) throw malformedXml();
  const place = request.xml?.CreateBucketConfiguration?.LocationConstraint ?? region;
  store.buckets.create({ id: bucket, region: place });
  return { headers: { Location: `/${bucket}` } };
}

export function headBucket({ bucket, store }) {
  const { region = 'us-east-1' } = store.bucket(bucket);
  return { headers: { 'x-amz-bucket-region': region } };
}

export function deleteBucket({ bucket, store }) {
  store.bucket(bucket);
  const begin = `${bucket}/`;
  for (const rows of [store.objects, store.versions])
    for (const { id } of rows.values())
      if (id.startsWith(begin))
        throw new S3Error(409, 'BucketNotEmpty', 'The bucket you tried to delete is not empty', {
          BucketName: bucket,
        });
  store.buckets.remove(bucket);
  return { status: 204 };
}

export function getLocation({ bucket, store }) {
  const { region = 'us-east-1' } = store.bucket(bucket);
  const text = region === 'us-east-1' ? '' : region;
  return {
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint xmlns="${NAMESPACE}">${text}</LocationConstraint>`,
  };
}

export function getVersioning({ bucket, store }) {
  const { versioning } = store.bucket(bucket);
  return { body: xmlDocument('VersioningConfiguration', { Status: versioning }, NAMESPACE) };
}

export function putVersioning({ request, bucket, store }) {
  const row = store.bucket(bucket);
  const status = request.xml?.VersioningConfiguration?.Status;
  if (status !== 'Enabled' && status !== 'Suspended') throw malformedXml();
  store.buckets.replace(bucket, { ...row, versioning: status });
  return {};
}

export function getBucketTagging({ bucket, store }) {
  const { tags } = store.bucket(bucket);
  if (tags === undefined)
    throw new S3Error(404, 'NoSuchTagSet', 'The TagSet does not exist', { BucketName: bucket });
  return { body: taggingDocument(tags) };
}

export function putBucketTagging({ request, bucket, store }) {
  store.buckets.replace(bucket, { ...store.bucket(bucket), tags: parseTags(request, 50) });
  return { status: 204 };
}

export function deleteBucketTagging({ bucket, store }) {
  const { tags: _tags, ...row } = store.bucket(bucket);
  store.buckets.replace(bucket, row);
  return { status: 204 };
}
