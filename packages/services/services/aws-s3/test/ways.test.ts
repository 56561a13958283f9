import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { GetObjectCommand, PutObjectCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { PYTHON, itWithTool, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import { connect } from './client.js';

const backlot = useBacklot({ services: ['aws-s3'] });

beforeEach(() => {
  backlot.collection('aws-s3:buckets').create({ id: 'docs' });
  backlot.collection('aws-s3:objects').setAll([
    { id: 'docs/hello.txt', text: 'hello', type: 'text/plain', metadata: { a: '1' } },
    { id: 'docs/order.json', json: { id: 7 } },
    { id: 'docs/bytes', base64: 'AP8=' },
  ]);
});

const HELLO = { Bucket: 'docs', Key: 'hello.txt' };
const endpoint = (): string => backlot.env.AWS_ENDPOINT_URL_S3;

describe('rows', () => {
  it('are objects', async () => {
    const s3 = connect(endpoint());
    const got = await s3.getObject(HELLO);
    expect(await got.Body?.transformToString()).toBe('hello');
    expect(got).toMatchObject({
      ContentType: 'text/plain',
      Metadata: { a: '1' },
      ETag: '"5d41402abc4b2a76b9719d911017c592"',
    });
    const json = await s3.getObject({ Bucket: 'docs', Key: 'order.json' });
    expect([json.ContentType, await json.Body?.transformToString()]).toEqual([
      'application/json',
      '{"id":7}',
    ]);
    const { Contents } = await s3.listObjectsV2({ Bucket: 'docs' });
    expect(Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([
      ['bytes', 2],
      ['hello.txt', 5],
      ['order.json', 8],
    ]);
    await s3.putObject({ ...HELLO, Body: 'changed' });
    expect(backlot.collection('aws-s3:objects').get('docs/hello.txt')).toMatchObject({
      content: Buffer.from('changed'),
      size: 7,
    });
  });
});

describe('presigned links', () => {
  it('read and write without credentials, and are over after their time', async () => {
    const s3 = connect(endpoint());
    const get = await getSignedUrl(s3, new GetObjectCommand({ ...HELLO, ResponseContentType: 'text/own' }), {
      expiresIn: 60,
    });
    const answer = await fetch(get);
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/own', 'hello']);
    const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'docs', Key: 'new' }), {
      expiresIn: 60,
    });
    expect((await fetch(put, { method: 'PUT', body: 'by a link' })).status).toBe(200);
    const made = await s3.getObject({ Bucket: 'docs', Key: 'new' });
    expect(await made.Body?.transformToString()).toBe('by a link');
    await backlot.clock.advance(61_000);
    const late = await fetch(get);
    expect(late.status).toBe(403);
    expect(await late.text()).toContain('<Code>AccessDenied</Code><Message>Request has expired</Message>');
  });
});

describe('a host name for each bucket', () => {
  it('is taken with the name of the service and with localhost alone, below its path or not', async () => {
    const { port, pathname } = new URL(endpoint());
    for (const host of [`http://s3.localhost:${port}`, `http://localhost:${port}${pathname}`]) {
      // Not all systems find names below localhost.
      const agent = new http.Agent({
        lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      });
      const s3 = connect(host, { requestHandler: { httpAgent: agent } });
      const got = await s3.getObject(HELLO);
      expect(await got.Body?.transformToString()).toBe('hello');
      expect((await s3.listObjectsV2({ Bucket: 'docs', Prefix: 'h' })).Contents).toMatchObject([
        { Key: 'hello.txt' },
      ]);
      await expect(s3.headBucket({ Bucket: 'other' })).rejects.toMatchObject({ name: 'NotFound' });
      const [call] = backlot.host.journal.list({ limit: 1 });
      expect(call).toMatchObject({
        headers: { host: expect.stringMatching(/^other\./) },
        path: expect.stringMatching(/^\/aws-s3/),
      });
      agent.destroy();
    }
  });
});

describe('scenarios', () => {
  it.each([
    ['throttled', 'SlowDown', 503],
    ['outage', 'ServiceUnavailable', 503],
    ['wrong-credentials', 'InvalidAccessKeyId', 403],
    ['expired-token', 'ExpiredToken', 400],
  ])('%s refuses every call with %s', async (scenario, name, httpStatusCode) => {
    backlot.scenarios.activate(`aws-s3:${scenario}`);
    const s3 = connect(endpoint());
    const call = s3.listBuckets({});
    await expect(call).rejects.toBeInstanceOf(S3ServiceException);
    await expect(call).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
  });

  it('throttled-twice lets the third attempt of the SDK pass', async () => {
    backlot.scenarios.activate('aws-s3:throttled-twice');
    const s3 = connect(endpoint(), { maxAttempts: 3 });
    const { $metadata } = await s3.headObject(HELLO);
    expect($metadata).toMatchObject({ attempts: 3, httpStatusCode: 200 });
  });

  it('clock-skew makes the SDK sign again with the time of the service', async () => {
    backlot.scenarios.activate('aws-s3:clock-skew');
    await expect(connect(endpoint()).headObject(HELLO)).rejects.toMatchObject({
      $metadata: { httpStatusCode: 403 },
    });
    await expect(connect(endpoint()).getObject(HELLO)).rejects.toMatchObject({
      name: 'RequestTimeTooSkewed',
    });
    const s3 = connect(endpoint(), { maxAttempts: 2 });
    expect((await s3.getObject(HELLO)).$metadata).toMatchObject({ attempts: 2 });
    expect((await s3.getObject(HELLO)).$metadata).toMatchObject({ attempts: 1 });
  });

  it('list-late shows what was written after its time', async () => {
    backlot.clock.freeze(true);
    await backlot.clock.advance(5000);
    backlot.scenarios.activate('aws-s3:list-late');
    const s3 = connect(endpoint());
    const count = async (): Promise<unknown> => (await s3.listObjectsV2({ Bucket: 'docs' })).KeyCount;
    await s3.putObject({ Bucket: 'docs', Key: 'new', Body: 'x' });
    expect(await count()).toBe(3);
    expect((await s3.headObject({ Bucket: 'docs', Key: 'new' })).ContentLength).toBe(1);
    await backlot.clock.advance(3000);
    expect(await count()).toBe(4);
  });
});

describe('other clients', () => {
  const ENV = (): Record<string, string> => ({ ...backlot.env, AWS_EC2_METADATA_DISABLED: 'true' });

  itWithTool(
    '/usr/bin/aws',
    'the command of AWS makes, copies, lists, synchronises and removes',
    async () => {
      const aws = async (...args: string[]): Promise<string> =>
        (await runTool('/usr/bin/aws', ['--endpoint-url', endpoint(), ...args], { env: ENV() })).out;
      const folder = fileURLToPath(new URL('.', import.meta.url));
      expect(await aws('s3', 'mb', 's3://code')).toContain('make_bucket: code');
      expect(await aws('s3', 'sync', folder, 's3://code/test')).toContain('upload: ');
      expect(await aws('s3', 'ls', 's3://code/')).toContain('PRE test/');
      expect(await aws('s3', 'ls', 's3://code/test/')).toContain(' ways.test.ts');
      expect(await aws('s3', 'sync', folder, 's3://code/test')).not.toContain('ways.test.ts');
      expect(await aws('s3', 'cp', 's3://docs/hello.txt', '-')).toBe('hello');
      expect(await aws('s3', 'mv', 's3://docs/hello.txt', 's3://code/moved.txt')).toContain('move: ');
      expect(await aws('s3', 'rb', '--force', 's3://code')).toContain('remove_bucket: code');
    },
  );

  itWithTool('python3:boto3', 'boto3 puts, gets, pages, uploads in parts and knows errors', async () => {
    const script = fileURLToPath(new URL('client.py', import.meta.url));
    const { out } = await runTool(PYTHON, [script, endpoint()], { env: ENV() });
    expect(out.trim()).toBe('done');
  });
});
