import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { S3 } from '@aws-sdk/client-s3';
import { useBacklot } from '@backlot/testing';
import { connect } from './client.js';

const backlot = useBacklot({ services: ['aws-s3'] });

/** A client, and a bucket that it has made. */
async function bucket(): Promise<S3> {
  const s3 = connect(backlot.env.AWS_ENDPOINT_URL_S3);
  await s3.createBucket({ Bucket: 'photos' });
  return s3;
}

const A = { Bucket: 'photos', Key: 'a.txt' };
const put = async (s3: S3, Key: string, text = Key): Promise<string | undefined> =>
  (await s3.putObject({ Bucket: 'photos', Key, Body: Buffer.from(text) })).ETag;
const read = async (s3: S3, Key: string, rest: object = {}): Promise<string | undefined> =>
  (await s3.getObject({ Bucket: 'photos', Key, ...rest })).Body?.transformToString();
const md5 = (text: string | Buffer): string => createHash('md5').update(text).digest('hex');

describe('buckets', () => {
  it('are made, found, listed and removed', async () => {
    const s3 = await bucket();
    await s3.createBucket({
      Bucket: 'videos',
      CreateBucketConfiguration: { LocationConstraint: 'eu-west-1' },
    });
    const { Buckets } = await s3.listBuckets({});
    expect(Buckets?.map(({ Name }) => Name)).toEqual(['photos', 'videos']);
    expect(Buckets?.[0]?.CreationDate).toBeInstanceOf(Date);
    expect((await s3.listBuckets({ Prefix: 'v' })).Buckets).toMatchObject([{ BucketRegion: 'eu-west-1' }]);
    expect(await s3.headBucket({ Bucket: 'videos' })).toMatchObject({ BucketRegion: 'eu-west-1' });
    expect(await s3.getBucketLocation({ Bucket: 'videos' })).toMatchObject({
      LocationConstraint: 'eu-west-1',
    });
    await s3.deleteBucket({ Bucket: 'videos' });
    await expect(s3.headBucket({ Bucket: 'videos' })).rejects.toMatchObject({ name: 'NotFound' });
  });

  it('are refused with a name that none may have, or that is taken, and while something is in them', async () => {
    const s3 = await bucket();
    await expect(s3.createBucket({ Bucket: 'photos' })).rejects.toMatchObject({
      name: 'BucketAlreadyOwnedByYou',
      $metadata: { httpStatusCode: 409 },
    });
    await expect(s3.createBucket({ Bucket: 'No_Name' })).rejects.toMatchObject({ name: 'InvalidBucketName' });
    await put(s3, 'a');
    await expect(s3.deleteBucket({ Bucket: 'photos' })).rejects.toMatchObject({ name: 'BucketNotEmpty' });
    await expect(s3.listObjectsV2({ Bucket: 'nobody' })).rejects.toMatchObject({
      name: 'NoSuchBucket',
      BucketName: 'nobody',
    });
    await expect(s3.putObject({ Bucket: 'nobody', Key: 'a', Body: 'x' })).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
  });

  it('have tags', async () => {
    const s3 = await bucket();
    const of = { Bucket: 'photos' };
    await expect(s3.getBucketTagging(of)).rejects.toMatchObject({ name: 'NoSuchTagSet' });
    const TagSet = [{ Key: 'team', Value: 'a & <b>' }];
    await s3.putBucketTagging({ ...of, Tagging: { TagSet } });
    expect((await s3.getBucketTagging(of)).TagSet).toEqual(TagSet);
    await s3.deleteBucketTagging(of);
    await expect(s3.getBucketTagging(of)).rejects.toMatchObject({ name: 'NoSuchTagSet' });
  });
});

describe('objects', () => {
  it('keep their bytes and all that was said of them', async () => {
    const s3 = await bucket();
    const Body = Buffer.from([0, 255, 13, 10, 128]);
    const said = {
      ContentType: 'image/x-own',
      CacheControl: 'no-cache',
      ContentDisposition: 'attachment; filename="a.bin"',
      ContentLanguage: 'de',
      Metadata: { owner: 'ann', size: '5' },
      StorageClass: 'STANDARD_IA',
    } as const;
    const { ETag } = await s3.putObject({ ...A, Body, ...said });
    expect(ETag).toBe(`"${md5(Body)}"`);
    const got = await s3.getObject(A);
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Body);
    expect(got).toMatchObject({ ...said, ETag, ContentLength: 5, AcceptRanges: 'bytes' });
    expect(got.LastModified).toBeInstanceOf(Date);
    const head = await s3.headObject(A);
    expect(head).toMatchObject({ ...said, ETag, ContentLength: 5 });
    expect(head.LastModified).toEqual(got.LastModified);
    expect(await put(s3, 'a.txt', 'new')).toBe(`"${md5('new')}"`);
    expect(await read(s3, 'a.txt')).toBe('new');
    expect((await s3.headObject(A)).Metadata).toEqual({});
  });

  it.each([
    ['empty', ''],
    ['a b+c%20/ü€😀', 'x'],
    ['a//b/', 'x'],
    ["it's (1)*!~.", 'x'],
    ['a?b=c#d&e', 'x'],
    ['x'.repeat(1024), 'x'],
  ])('may be called %j', async (key, text) => {
    const s3 = await bucket();
    await put(s3, key, text);
    expect(await read(s3, key)).toBe(text);
    const { Contents } = await s3.listObjectsV2({ Bucket: 'photos' });
    expect(Contents).toMatchObject([{ Key: key, Size: text.length, ETag: `"${md5(text)}"` }]);
    await s3.deleteObject({ Bucket: 'photos', Key: key });
    expect((await s3.listObjectsV2({ Bucket: 'photos' })).KeyCount).toBe(0);
  });

  it('come from streams, whose length need not be known before, with their checksum behind', async () => {
    const s3 = await bucket();
    const bytes = Buffer.alloc(300_000, 'abc\r\n');
    const made = await s3.putObject({ ...A, Body: Readable.from([bytes]), ContentLength: bytes.length });
    expect(made.ETag).toBe(`"${md5(bytes)}"`);
    expect(made.ChecksumCRC32).toMatch(/^.{8}$/);
    const got = await s3.getObject(A);
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(bytes);
    // The SDK compares it with what it has read.
    expect(got.ChecksumCRC32).toBe(made.ChecksumCRC32);
    expect(got.ContentEncoding).toBeUndefined();
  });

  it('that are compressed stay so', async () => {
    const s3 = await bucket();
    const Body = gzipSync('hello');
    const { ETag } = await s3.putObject({ ...A, Body, ContentEncoding: 'gzip' });
    expect(ETag).toBe(`"${md5(Body)}"`);
    const got = await s3.getObject(A);
    expect(got.ContentEncoding).toBe('gzip');
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Body);
    await s3.putObject({
      ...A,
      Body: Readable.from([Body]),
      ContentLength: Body.length,
      ContentEncoding: 'gzip',
    });
    expect(await s3.headObject(A)).toMatchObject({ ContentEncoding: 'gzip', ETag });
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'have the checksum %s that the SDK has made, which it compares',
    async (ChecksumAlgorithm) => {
      const s3 = await bucket();
      const Body = Buffer.alloc(70_000, 'some text');
      const made = await s3.putObject({ ...A, Body, ChecksumAlgorithm });
      const sum = made[`Checksum${ChecksumAlgorithm}`];
      expect(sum).toMatch(/=$/);
      const got = await s3.getObject({ ...A, ChecksumMode: 'ENABLED' });
      expect(got[`Checksum${ChecksumAlgorithm}`]).toBe(sum);
      expect(await got.Body?.transformToString()).toHaveLength(70_000);
      const whole = await s3.getObjectAttributes({
        ...A,
        ObjectAttributes: ['Checksum', 'ObjectSize', 'ETag'],
      });
      expect(whole.Checksum).toMatchObject({
        [`Checksum${ChecksumAlgorithm}`]: sum,
        ChecksumType: 'FULL_OBJECT',
      });
      expect(whole).toMatchObject({ ObjectSize: 70_000, ETag: md5(Body) });
      const wrong = {
        [`Checksum${ChecksumAlgorithm}`]: `${(sum ?? '').startsWith('A') ? 'B' : 'A'}${(sum ?? '').slice(1)}`,
      };
      await expect(s3.putObject({ ...A, Body, ...wrong })).rejects.toMatchObject({ name: 'BadDigest' });
    },
  );

  it('that are not there, and keys that none may have, are refused', async () => {
    const s3 = await bucket();
    await expect(s3.getObject(A)).rejects.toMatchObject({
      name: 'NoSuchKey',
      Key: 'a.txt',
      $metadata: { httpStatusCode: 404, requestId: expect.any(String) },
    });
    await expect(s3.headObject(A)).rejects.toMatchObject({ name: 'NotFound' });
    await expect(put(s3, 'x'.repeat(1025))).rejects.toMatchObject({ name: 'KeyTooLongError' });
    await expect(s3.putObject({ ...A, Body: 'x', Metadata: { a: 'x'.repeat(2048) } })).rejects.toMatchObject({
      name: 'MetadataTooLarge',
    });
    await expect(
      s3.putObject({ ...A, Body: 'x', ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' }),
    ).rejects.toMatchObject({
      name: 'BadDigest',
    });
    await expect(s3.putBucketPolicy({ Bucket: 'photos', Policy: '{}' })).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining('versioning'),
    });
    expect(await s3.deleteObject(A)).toMatchObject({ $metadata: { httpStatusCode: 204 } });
  });

  it('are read in parts', async () => {
    const s3 = await bucket();
    await put(s3, 'a.txt', '0123456789');
    const part = await s3.getObject({ ...A, Range: 'bytes=2-4' });
    expect(part).toMatchObject({
      ContentRange: 'bytes 2-4/10',
      ContentLength: 3,
      $metadata: { httpStatusCode: 206 },
    });
    expect(await part.Body?.transformToString()).toBe('234');
    expect(await read(s3, 'a.txt', { Range: 'bytes=-3' })).toBe('789');
    expect(await read(s3, 'a.txt', { Range: 'bytes=8-99' })).toBe('89');
    expect(await read(s3, 'a.txt', { Range: 'lines=1-2' })).toBe('0123456789');
    await expect(s3.getObject({ ...A, Range: 'bytes=10-' })).rejects.toMatchObject({
      name: 'InvalidRange',
      $metadata: { httpStatusCode: 416 },
    });
  });

  it('are read and written under conditions', async () => {
    const s3 = await bucket();
    const IfMatch = await put(s3, 'a.txt', 'one');
    expect(await read(s3, 'a.txt', { IfMatch })).toBe('one');
    await expect(read(s3, 'a.txt', { IfMatch: '"other"' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(read(s3, 'a.txt', { IfNoneMatch: IfMatch })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    });
    const IfModifiedSince = new Date(backlot.clock.now() + 60_000);
    await expect(read(s3, 'a.txt', { IfModifiedSince })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    });
    await expect(read(s3, 'a.txt', { IfUnmodifiedSince: new Date(0) })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(s3.putObject({ ...A, Body: 'x', IfNoneMatch: '*' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
    });
    await s3.putObject({ Bucket: 'photos', Key: 'new', Body: 'x', IfNoneMatch: '*' });
    const { ETag } = await s3.putObject({ ...A, Body: 'two', IfMatch });
    await expect(s3.putObject({ ...A, Body: 'three', IfMatch })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(s3.deleteObject({ ...A, IfMatch })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await s3.deleteObject({ ...A, IfMatch: ETag });
    await expect(read(s3, 'a.txt')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('are copied, with what was said of them or with something else', async () => {
    const s3 = await bucket();
    await s3.putObject({
      ...A,
      Body: 'text',
      ContentType: 'text/plain',
      Metadata: { a: '1' },
      Tagging: 'k=v',
    });
    const CopySource = 'photos/a.txt';
    const made = await s3.copyObject({ Bucket: 'photos', Key: 'b c.txt', CopySource });
    expect(made.CopyObjectResult).toMatchObject({ ETag: `"${md5('text')}"`, LastModified: expect.any(Date) });
    expect(await s3.getObject({ Bucket: 'photos', Key: 'b c.txt' })).toMatchObject({
      ContentType: 'text/plain',
      Metadata: { a: '1' },
      TagCount: 1,
    });
    const changed = { MetadataDirective: 'REPLACE', Metadata: { b: '2' }, ContentType: 'text/x' } as const;
    await s3.copyObject({ ...A, CopySource: 'photos/b%20c.txt', ...changed });
    expect(await s3.headObject(A)).toMatchObject({ ContentType: 'text/x', Metadata: { b: '2' } });
    await expect(s3.copyObject({ ...A, CopySource })).rejects.toMatchObject({ name: 'InvalidRequest' });
    await expect(s3.copyObject({ ...A, CopySource: 'photos/none' })).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    await expect(
      s3.copyObject({ ...A, CopySource: 'photos/b c.txt', CopySourceIfMatch: '"no"' }),
    ).rejects.toMatchObject({ name: 'PreconditionFailed' });
  });

  it('have tags', async () => {
    const s3 = await bucket();
    await s3.putObject({ ...A, Body: 'x', Tagging: 'kind=cat&size=a%20b' });
    expect((await s3.getObjectTagging(A)).TagSet).toEqual([
      { Key: 'kind', Value: 'cat' },
      { Key: 'size', Value: 'a b' },
    ]);
    await s3.putObjectTagging({ ...A, Tagging: { TagSet: [{ Key: 'x', Value: '' }] } });
    expect((await s3.getObjectTagging(A)).TagSet).toEqual([{ Key: 'x', Value: '' }]);
    expect(await s3.getObject(A)).toMatchObject({ TagCount: 1 });
    await s3.deleteObjectTagging(A);
    expect((await s3.getObjectTagging(A)).TagSet ?? []).toEqual([]);
    const TagSet = Array.from({ length: 11 }, (_, n) => ({ Key: `k${n}`, Value: '' }));
    await expect(s3.putObjectTagging({ ...A, Tagging: { TagSet } })).rejects.toMatchObject({
      name: 'BadRequest',
    });
  });

  it('are removed many at once', async () => {
    const s3 = await bucket();
    const keys = Array.from({ length: 1000 }, (_, n) => `k/${n} & <x>`);
    await Promise.all(keys.slice(0, 40).map((key) => put(s3, key)));
    const Objects = keys.map((Key) => ({ Key }));
    const { Deleted, Errors } = await s3.deleteObjects({ Bucket: 'photos', Delete: { Objects } });
    expect(Deleted?.map(({ Key }) => Key)).toEqual(keys);
    expect(Errors).toBeUndefined();
    expect((await s3.listObjectsV2({ Bucket: 'photos' })).KeyCount).toBe(0);
    const quiet = await s3.deleteObjects({ Bucket: 'photos', Delete: { Objects, Quiet: true } });
    expect(quiet.Deleted).toBeUndefined();
    await expect(
      s3.deleteObjects({ Bucket: 'photos', Delete: { Objects: [...Objects, { Key: 'x' }] } }),
    ).rejects.toMatchObject({ name: 'MalformedXML' });
  });
});

describe('lists', () => {
  const KEYS = ['a.txt', 'b/1', 'b/2', 'b/c/3', 'd/4', 'z', 'ö', '😀'];
  const fill = async (): Promise<S3> => {
    const s3 = await bucket();
    for (const key of [...KEYS].reverse()) await put(s3, key);
    return s3;
  };

  it('go by pages in the order of bytes', async () => {
    const s3 = await fill();
    const all: unknown[] = [];
    let ContinuationToken: string | undefined;
    let pages = 0;
    do {
      const page = await s3.listObjectsV2({ Bucket: 'photos', MaxKeys: 3, ContinuationToken });
      all.push(...(page.Contents ?? []).map(({ Key }) => Key));
      expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
      ContinuationToken = page.NextContinuationToken;
      pages += 1;
    } while (ContinuationToken !== undefined);
    expect(all).toEqual(KEYS);
    expect(pages).toBe(3);
    const after = await s3.listObjectsV2({ Bucket: 'photos', StartAfter: 'b/2', MaxKeys: 2 });
    expect(after.Contents?.map(({ Key }) => Key)).toEqual(['b/c/3', 'd/4']);
    await expect(s3.listObjectsV2({ Bucket: 'photos', ContinuationToken: 'x' })).rejects.toMatchObject({
      name: 'InvalidArgument',
    });
    expect((await s3.listObjectsV2({ Bucket: 'photos', MaxKeys: 0 })).Contents).toBeUndefined();
  });

  it('have what keys begin with in place of those with a delimiter, each once in all pages', async () => {
    const s3 = await fill();
    const whole = await s3.listObjectsV2({ Bucket: 'photos', Delimiter: '/' });
    expect(whole.CommonPrefixes).toEqual([{ Prefix: 'b/' }, { Prefix: 'd/' }]);
    expect(whole.Contents?.map(({ Key }) => Key)).toEqual(['a.txt', 'z', 'ö', '😀']);
    expect(whole.KeyCount).toBe(6);
    const below = await s3.listObjectsV2({ Bucket: 'photos', Delimiter: '/', Prefix: 'b/' });
    expect(below.Contents?.map(({ Key }) => Key)).toEqual(['b/1', 'b/2']);
    expect(below.CommonPrefixes).toEqual([{ Prefix: 'b/c/' }]);
    const first = await s3.listObjectsV2({ Bucket: 'photos', Delimiter: '/', MaxKeys: 2 });
    expect([first.Contents?.length, first.CommonPrefixes]).toEqual([1, [{ Prefix: 'b/' }]]);
    const next = { ContinuationToken: first.NextContinuationToken, MaxKeys: 2 };
    const second = await s3.listObjectsV2({ Bucket: 'photos', Delimiter: '/', ...next });
    expect([second.Contents?.[0]?.Key, second.CommonPrefixes]).toEqual(['z', [{ Prefix: 'd/' }]]);
  });

  it('of the first version go by a marker, and urls write keys otherwise', async () => {
    const s3 = await fill();
    const first = await s3.listObjects({ Bucket: 'photos', Delimiter: '/', MaxKeys: 2 });
    expect(first).toMatchObject({ IsTruncated: true, NextMarker: 'b/' });
    const rest = await s3.listObjects({ Bucket: 'photos', Delimiter: '/', Marker: first.NextMarker });
    expect(rest.CommonPrefixes).toEqual([{ Prefix: 'd/' }]);
    const coded = await s3.listObjectsV2({ Bucket: 'photos', EncodingType: 'url', Prefix: 'ö' });
    expect(coded).toMatchObject({ EncodingType: 'url', Prefix: '%C3%B6', Contents: [{ Key: '%C3%B6' }] });
  });
});

describe('versions', () => {
  it('are kept, read, listed, and come back when what is newer is removed', async () => {
    const s3 = await bucket();
    const of = { Bucket: 'photos' };
    await put(s3, 'a.txt', 'before');
    expect((await s3.getBucketVersioning(of)).Status).toBeUndefined();
    await s3.putBucketVersioning({ ...of, VersioningConfiguration: { Status: 'Enabled' } });
    expect((await s3.getBucketVersioning(of)).Status).toBe('Enabled');
    const { VersionId: one } = await s3.putObject({ ...A, Body: 'one' });
    const { VersionId: two } = await s3.putObject({ ...A, Body: 'two' });
    expect(new Set([one, two, undefined]).size).toBe(3);
    expect(await read(s3, 'a.txt')).toBe('two');
    expect(await read(s3, 'a.txt', { VersionId: one })).toBe('one');
    expect(await read(s3, 'a.txt', { VersionId: 'null' })).toBe('before');
    const { VersionId: mark, DeleteMarker } = await s3.deleteObject(A);
    expect(DeleteMarker).toBe(true);
    await expect(read(s3, 'a.txt')).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(read(s3, 'a.txt', { VersionId: mark })).rejects.toMatchObject({ name: 'MethodNotAllowed' });
    const listed = await s3.listObjectVersions(of);
    expect(listed.Versions?.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).toEqual([
      [two, false],
      [one, false],
      ['null', false],
    ]);
    expect(listed.DeleteMarkers).toMatchObject([{ Key: 'a.txt', VersionId: mark, IsLatest: true }]);
    expect((await s3.listObjectsV2(of)).KeyCount).toBe(0);
    await s3.deleteObject({ ...A, VersionId: mark });
    expect(await read(s3, 'a.txt')).toBe('two');
    await s3.deleteObject({ ...A, VersionId: two });
    expect(await read(s3, 'a.txt')).toBe('one');
    expect((await s3.listObjectVersions(of)).Versions).toMatchObject([
      { VersionId: one, IsLatest: true },
      {},
    ]);
    await expect(read(s3, 'a.txt', { VersionId: two })).rejects.toMatchObject({ name: 'NoSuchVersion' });
    await expect(s3.deleteBucket(of)).rejects.toMatchObject({ name: 'BucketNotEmpty' });
  });

  it('that are suspended have one that is called null', async () => {
    const s3 = await bucket();
    const of = { Bucket: 'photos' };
    const set = (Status: 'Enabled' | 'Suspended'): Promise<unknown> =>
      s3.putBucketVersioning({ ...of, VersioningConfiguration: { Status } });
    await set('Enabled');
    await put(s3, 'a.txt', 'one');
    await set('Suspended');
    await put(s3, 'a.txt', 'two');
    expect((await s3.putObject({ ...A, Body: 'three' })).VersionId).toBe('null');
    const { Versions } = await s3.listObjectVersions(of);
    expect(Versions?.map(({ VersionId }) => VersionId === 'null')).toEqual([true, false]);
  });
});
