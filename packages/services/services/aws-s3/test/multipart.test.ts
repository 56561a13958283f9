import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { S3 } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { useBacklot } from '@backlot/testing';
import { connect } from './client.js';

const backlot = useBacklot({ services: ['aws-s3'] });

const TARGET = { Bucket: 'videos', Key: 'large/file.bin' };
const PART = 5 * 1024 * 1024;
const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();

async function bucket(): Promise<S3> {
  const s3 = connect(backlot.env.AWS_ENDPOINT_URL_S3);
  await s3.createBucket({ Bucket: 'videos' });
  return s3;
}

async function bytesOf(s3: S3, rest: object = {}): Promise<Buffer> {
  const { Body } = await s3.getObject({ ...TARGET, ...rest });
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describe('uploads in parts', () => {
  it('are made of a stream by the helper of the SDK, with checksums that it compares', async () => {
    const s3 = await bucket();
    const bytes = Buffer.alloc(2 * PART + 1234, 'a long film ');
    const stream = new PassThrough();
    const upload = new Upload({ client: s3, params: { ...TARGET, Body: stream, ContentType: 'video/x' } });
    const shares: (number | undefined)[] = [];
    upload.on('httpUploadProgress', ({ loaded }) => shares.push(loaded));
    stream.end(bytes);
    const made = await upload.done();
    const parts = [bytes.subarray(0, PART), bytes.subarray(PART, 2 * PART), bytes.subarray(2 * PART)];
    expect(made.ETag).toBe(`"${md5(Buffer.concat(parts.map(md5))).toString('hex')}-3"`);
    expect(made.Location).toContain('/videos/large/file.bin');
    expect(shares.at(-1)).toBe(bytes.length);
    const head = await s3.headObject(TARGET);
    expect(head).toMatchObject({ ContentType: 'video/x', ContentLength: bytes.length, ETag: made.ETag });
    expect((await bytesOf(s3)).equals(bytes)).toBe(true);
    expect((await bytesOf(s3, { Range: `bytes=${PART - 2}-${PART + 1}` })).length).toBe(4);
    const { Uploads } = await s3.listMultipartUploads({ Bucket: 'videos' });
    expect(Uploads).toBeUndefined();
    expect(backlot.collection('aws-s3:parts').list()).toEqual([]);
  });

  it('are listed with their parts, and a part may be sent again or come from another object', async () => {
    const s3 = await bucket();
    const { UploadId } = await s3.createMultipartUpload(TARGET);
    expect((await s3.listMultipartUploads({ Bucket: 'videos' })).Uploads).toMatchObject([
      { Key: TARGET.Key, UploadId },
    ]);
    const first = Buffer.alloc(PART, 1);
    const send = (PartNumber: number, Body: Buffer): Promise<{ ETag?: string | undefined }> =>
      s3.uploadPart({ ...TARGET, UploadId, PartNumber, Body });
    await send(1, Buffer.from('other'));
    const one = await send(1, first);
    await s3.putObject({ Bucket: 'videos', Key: 'source', Body: '0123456789' });
    const source = { CopySource: 'videos/source', CopySourceRange: 'bytes=3-6' };
    const two = await s3.uploadPartCopy({ ...TARGET, UploadId, PartNumber: 3, ...source });
    const listed = await s3.listParts({ ...TARGET, UploadId, MaxParts: 1 });
    expect(listed).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '1', Parts: [{ Size: PART }] });
    const rest = await s3.listParts({ ...TARGET, UploadId, PartNumberMarker: '1' });
    expect(rest.Parts).toMatchObject([{ PartNumber: 3, Size: 4, ETag: two.CopyPartResult?.ETag }]);
    const Parts = [
      { PartNumber: 1, ETag: one.ETag },
      { PartNumber: 3, ETag: two.CopyPartResult?.ETag },
    ];
    await s3.completeMultipartUpload({ ...TARGET, UploadId, MultipartUpload: { Parts } });
    expect((await bytesOf(s3, { Range: 'bytes=-5' })).toString('latin1')).toBe('\u00013456');
    const whole = await s3.getObjectAttributes({ ...TARGET, ObjectAttributes: ['ObjectParts', 'Checksum'] });
    expect(whole.ObjectParts).toMatchObject({ TotalPartsCount: 2 });
  });

  it('are refused for what is wrong with their parts, and when they have ended', async () => {
    const s3 = await bucket();
    const { UploadId } = await s3.createMultipartUpload(TARGET);
    const of = { ...TARGET, UploadId };
    const parts = [1, 2].map((PartNumber) => ({ PartNumber, Body: Buffer.from(`part ${PartNumber}`) }));
    const sent = await Promise.all(
      parts.map(async (part) => ({
        PartNumber: part.PartNumber,
        ETag: (await s3.uploadPart({ ...of, ...part })).ETag,
      })),
    );
    const complete = (Parts: typeof sent): Promise<unknown> =>
      s3.completeMultipartUpload({ ...of, MultipartUpload: { Parts } });
    await expect(complete(sent)).rejects.toMatchObject({ name: 'EntityTooSmall' });
    await expect(complete([...sent].reverse())).rejects.toMatchObject({ name: 'InvalidPartOrder' });
    await expect(complete([{ PartNumber: 1, ETag: '"x"' }])).rejects.toMatchObject({ name: 'InvalidPart' });
    await expect(complete([])).rejects.toMatchObject({ name: 'MalformedXML' });
    await expect(s3.uploadPart({ ...of, PartNumber: 10_001, Body: 'x' })).rejects.toMatchObject({
      name: 'InvalidArgument',
    });
    await s3.abortMultipartUpload(of);
    await expect(s3.abortMultipartUpload(of)).rejects.toMatchObject({ name: 'NoSuchUpload' });
    await expect(s3.listParts(of)).rejects.toMatchObject({ name: 'NoSuchUpload' });
    await expect(s3.headObject(TARGET)).rejects.toMatchObject({ name: 'NotFound' });
  });
});
