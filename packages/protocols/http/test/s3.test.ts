import { Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { startHttp, stopAll, type HttpHost } from './support/http-host.js';

// It tells of the end of support for versions of Node.js on the console.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const clients: S3Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await stopAll();
});

const MOCKS = parse(`
- id: part
  request: { method: PUT, path: '/{bucket}/*', query: { partNumber: '*', uploadId: up-1 } }
  response: { headers: { ETag: '"part-{{request.query.partNumber}}-{{length request.raw_body}}"' } }
- id: hello
  request: { method: PUT, path: /bucket/hello.txt, body: Hello, headers: { content-type: text/plain } }
  response: { headers: { ETag: '"hello"' } }
- id: bytes
  request: { method: PUT, path: /bucket/bytes.bin }
  response: { headers: { ETag: '"{{hash "sha256" request.raw_body}}"' } }
- id: order
  request: { method: PUT, path: /bucket/order.json, body_json: { order.id: 7 } }
  response: { headers: { ETag: '"order"' } }
- id: begin
  request: { method: POST, path: '/{bucket}/*', query: { uploads: { present: true } } }
  response:
    headers: { Content-Type: application/xml }
    body: |-
      <InitiateMultipartUploadResult><Bucket>{{request.params.bucket}}</Bucket><UploadId>up-1</UploadId></InitiateMultipartUploadResult>
- id: end
  request:
    method: POST
    path: '/{bucket}/*'
    query: { uploadId: up-1 }
    body: { xpath: { path: "string(//*[local-name()='Part'][2]/*[local-name()='ETag'])", is: '"part-2-4"' } }
  response:
    headers: { Content-Type: application/xml }
    body: <CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>
- id: video
  request: { path: /bucket/video }
  response: { body: '0123456789', ranges: true, headers: { ETag: '"v"' } }
`) as readonly object[];

function clientOf({ url }: HttpHost): S3Client {
  const client = new S3Client({
    endpoint: url,
    region: 'eu-central-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
  clients.push(client);
  return client;
}

const put = async (client: S3Client, Key: string, rest: object): Promise<string | undefined> =>
  (await client.send(new PutObjectCommand({ Bucket: 'bucket', Key, ...rest }))).ETag;

describe('the S3 client of AWS', () => {
  it('puts objects in one piece, with its checksum in a header', async () => {
    const server = await startHttp(MOCKS);
    const client = clientOf(server);
    expect(await put(client, 'hello.txt', { Body: 'Hello', ContentType: 'text/plain' })).toBe('"hello"');
    expect(await put(client, 'order.json', { Body: '{"order":{"id":7}}' })).toBe('"order"');
    const entry = server.host.journal.list()[1];
    expect(JSON.stringify(entry)).toContain('x-amz-checksum-crc32');
  });

  it('puts streams as aws-chunked with a checksum behind them, and mocks see what is in them', async () => {
    const server = await startHttp(MOCKS);
    const client = clientOf(server);
    const streamOf = (text: string): object => ({
      Body: Readable.from([Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))]),
      ContentLength: text.length,
    });
    expect(await put(client, 'hello.txt', { ...streamOf('Hello'), ContentType: 'text/plain' })).toBe(
      '"hello"',
    );
    const [entry] = server.host.journal.list();
    expect(entry).toMatchObject({
      body: 'Hello',
      headers: {
        'content-encoding': 'aws-chunked',
        'x-amz-trailer': 'x-amz-checksum-crc32',
        'x-amz-decoded-content-length': '5',
      },
    });
    expect(await put(client, 'order.json', streamOf('{"order":{"id":7}}'))).toBe('"order"');
  });

  it('puts long streams of any bytes, for which it waits to be told to go on', async () => {
    const server = await startHttp(MOCKS);
    const client = clientOf(server);
    const long = Buffer.alloc(3 * 1024 * 1024, Buffer.from([0, 255, 13, 10, 128]));
    const pieces = [long.subarray(0, 1_000_001), long.subarray(1_000_001)];
    const whole = await put(client, 'bytes.bin', { Body: long });
    expect(whole).toMatch(/^"[0-9a-f]{64}"$/);
    expect(await put(client, 'bytes.bin', { Body: Readable.from(pieces), ContentLength: long.length })).toBe(
      whole,
    );
    expect(server.host.kind('http').calls.of('bytes').count).toBe(2);
  });

  it('gets ranges', async () => {
    const server = await startHttp(MOCKS);
    const client = clientOf(server);
    const get = (Range?: string): Promise<GetObjectCommandOutput> =>
      client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'video', Range }));
    const whole = await get();
    expect(await whole.Body?.transformToString()).toBe('0123456789');
    const part = await get('bytes=2-4');
    expect([part.ContentRange, part.ContentLength, part.ETag]).toEqual(['bytes 2-4/10', 3, '"v"']);
    expect(await part.Body?.transformToString()).toBe('234');
    const end = await get('bytes=-3');
    expect(await end.Body?.transformToString()).toBe('789');
    await expect(get('bytes=99-')).rejects.toMatchObject({ $metadata: { httpStatusCode: 416 } });
  });

  it('uploads in parts', async () => {
    const client = clientOf(await startHttp(MOCKS));
    const target = { Bucket: 'bucket', Key: 'large/file' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    expect(UploadId).toBe('up-1');
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (const [index, Body] of [Buffer.from('first'), Readable.from([Buffer.from('last')])].entries()) {
      const part = { ...target, UploadId, PartNumber: index + 1, Body, ContentLength: index === 0 ? 5 : 4 };
      const { ETag } = await client.send(new UploadPartCommand(part));
      Parts.push({ PartNumber: index + 1, ETag });
    }
    expect(Parts.map(({ ETag }) => ETag)).toEqual(['"part-1-5"', '"part-2-4"']);
    const complete = { ...target, UploadId, MultipartUpload: { Parts } };
    expect((await client.send(new CompleteMultipartUploadCommand(complete))).ETag).toBe('"whole"');
  });
});
