import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { ApiError, type Bucket, type SaveOptions, Storage } from '@google-cloud/storage';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['google'] });

function connect(retryOptions: object = { autoRetry: false }): Storage {
  const { GOOGLE_CLOUD_PROJECT: projectId, STORAGE_EMULATOR_HOST: apiEndpoint } = backlot.env;
  return new Storage({ projectId, apiEndpoint, retryOptions });
}

/** A bucket that was made. */
async function docs(storage = connect()): Promise<Bucket> {
  const [bucket] = await storage.createBucket('docs');
  return bucket;
}

const SIMPLE: SaveOptions = { resumable: false };

async function put(bucket: Bucket, name: string, text = name, more: SaveOptions = {}): Promise<void> {
  await bucket.file(name).save(text, { ...SIMPLE, ...more });
}

const read = async (bucket: Bucket, name: string): Promise<string> =>
  (await bucket.file(name).download())[0].toString();
const refused = (code: number, reason?: string): object => ({
  code,
  ...(reason !== undefined && { errors: [expect.objectContaining({ reason })] }),
});

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${backlot.env.STORAGE_EMULATOR_HOST}${path}`, init);
}

describe('buckets', () => {
  it('are made, found, listed in pages, changed and removed', async () => {
    const storage = connect();
    for (const name of ['docs', 'photos', 'videos']) await storage.createBucket(name, { location: 'eu' });
    expect((await storage.bucket('docs').getMetadata())[0]).toMatchObject({ name: 'docs', location: 'EU' });
    const [page, query] = await storage.getBuckets({ maxResults: 2, autoPaginate: false });
    expect(page.map(({ name }) => name)).toEqual(['docs', 'photos']);
    expect((await storage.getBuckets({ ...query, autoPaginate: false }))[0].map(({ name }) => name)).toEqual([
      'videos',
    ]);
    await storage.bucket('docs').setMetadata({ labels: { team: 'tea', old: 'x' } });
    await storage.bucket('docs').setMetadata({ labels: { old: null } });
    expect((await storage.bucket('docs').getMetadata())[0]).toMatchObject({
      labels: { team: 'tea' },
      metageneration: '3',
    });
    await storage.bucket('photos').delete();
    expect(await storage.bucket('photos').exists()).toEqual([false]);
  });

  it('are refused in the form of Google', async () => {
    const storage = connect();
    const bucket = await docs(storage);
    const call = storage.createBucket('docs');
    await expect(call).rejects.toBeInstanceOf(ApiError);
    await expect(call).rejects.toMatchObject(refused(409, 'conflict'));
    await expect(storage.createBucket('No_Name')).rejects.toMatchObject(refused(400, 'invalid'));
    await expect(storage.bucket('none').getMetadata()).rejects.toMatchObject(refused(404, 'notFound'));
    await expect(storage.bucket('none').file('a').save('x', SIMPLE)).rejects.toMatchObject({ code: 404 });
    await put(bucket, 'a');
    await expect(bucket.delete()).rejects.toMatchObject(refused(409, 'conflict'));
    await expect(bucket.setMetadata({ versioning: { enabled: true } })).rejects.toMatchObject(refused(501));
    await expect(bucket.acl.get()).rejects.toMatchObject(refused(501));
  });
});

describe('objects', () => {
  it('keep their bytes and all that was said of them', async () => {
    const bucket = await docs();
    const file = bucket.file('sub/ä b.bin');
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 128]);
    await file.save(bytes, {
      ...SIMPLE,
      validation: 'md5',
      contentType: 'image/x-own',
      metadata: { cacheControl: 'no-cache', metadata: { team: 'tea' } },
    });
    expect((await file.getMetadata())[0]).toMatchObject({
      name: 'sub/ä b.bin',
      size: '7',
      contentType: 'image/x-own',
      cacheControl: 'no-cache',
      metadata: { team: 'tea' },
      metageneration: '1',
      md5Hash: expect.any(String),
    });
    expect((await file.download({ validation: 'crc32c' }))[0]).toEqual(bytes);
    expect(backlot.collection('google:objects').get('docs/sub/ä b.bin')).toMatchObject({ content: bytes });
  });

  it('have the digests that Google computes', async () => {
    const bucket = await docs();
    await put(bucket, 'nine', '123456789');
    // The check value of CRC-32C.
    const crc32c = Buffer.from('e3069283', 'hex').toString('base64');
    expect((await bucket.file('nine').getMetadata())[0]).toMatchObject({
      crc32c,
      md5Hash: 'JfnnlDI7RTiF9RgfG2JNCw==',
    });
    const wrong = put(bucket, 'nine', 'other', { metadata: { md5Hash: 'JfnnlDI7RTiF9RgfG2JNCw==' } });
    await expect(wrong).rejects.toMatchObject(refused(400, 'invalid'));
    expect(await read(bucket, 'nine')).toBe('123456789');
  });

  it('are uploaded by one request without anything around them', async () => {
    const bucket = await docs();
    const path = '/upload/storage/v1/b/docs/o?uploadType=media&name=plain.txt';
    const answer = await ask(path, {
      method: 'POST',
      body: 'plain',
      headers: { 'Content-Type': 'text/x-own' },
    });
    expect(await answer.json()).toMatchObject({
      kind: 'storage#object',
      size: '5',
      contentType: 'text/x-own',
    });
    expect(await read(bucket, 'plain.txt')).toBe('plain');
  });

  it('are uploaded piece by piece', async () => {
    const bucket = await docs();
    const bytes = Buffer.alloc(700 * 1024, 'abc');
    const file = bucket.file('large');
    await file.save(bytes, {
      resumable: true,
      chunkSize: 256 * 1024,
      contentType: 'text/plain',
      validation: 'crc32c',
    });
    expect((await file.getMetadata())[0]).toMatchObject({
      size: String(bytes.length),
      contentType: 'text/plain',
    });
    expect((await file.download())[0].equals(bytes)).toBe(true);
    await bucket.file('whole').save('all at once', { resumable: true });
    expect(await read(bucket, 'whole')).toBe('all at once');
  });

  it('say how much of an upload is there, and go on with it', async () => {
    const bucket = await docs();
    const [uri] = await bucket.file('late').createResumableUpload();
    const send = (body: string, range: string): Promise<Response> =>
      fetch(uri, { method: 'PUT', body, headers: { 'Content-Range': range } });
    const first = await send('abc', 'bytes 0-2/6');
    expect([first.status, first.headers.get('range')]).toEqual([308, 'bytes=0-2']);
    expect((await send('', 'bytes */6')).headers.get('range')).toBe('bytes=0-2');
    expect((await send('x', 'bytes 5-5/6')).status).toBe(400);
    expect((await send('cdef', 'bytes 2-5/6')).status).toBe(200);
    expect(await read(bucket, 'late')).toBe('abcdef');
    expect((await send('', 'bytes */6')).status).toBe(200);
  });

  it('are read by ranges and as streams', async () => {
    const bucket = await docs();
    await put(bucket, 'ten', '0123456789');
    const file = bucket.file('ten');
    expect((await file.download({ start: 2, end: 4 }))[0].toString()).toBe('234');
    expect((await file.download({ start: 7 }))[0].toString()).toBe('789');
    const pieces: Buffer[] = [];
    for await (const piece of file.createReadStream()) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('0123456789');
    const last = await ask('/docs/ten', { headers: { Range: 'bytes=-3' } });
    expect([last.status, last.headers.get('content-range'), await last.text()]).toEqual([
      206,
      'bytes 7-9/10',
      '789',
    ]);
    expect((await ask('/docs/ten', { headers: { Range: 'bytes=20-' } })).status).toBe(416);
    await expect(bucket.file('none').download()).rejects.toMatchObject({ code: 404 });
  });

  it('are listed by prefix and delimiter, in pages', async () => {
    const bucket = await docs();
    for (const name of ['a/1', 'a/2', 'b', 'c/d/1', 'z']) await put(bucket, name);
    const names = (files: readonly { name: string }[]): string[] => files.map(({ name }) => name);
    expect(names((await bucket.getFiles({ prefix: 'a/' }))[0])).toEqual(['a/1', 'a/2']);
    const [files, , answer] = await bucket.getFiles({ delimiter: '/', autoPaginate: false });
    expect(names(files)).toEqual(['b', 'z']);
    expect(answer).toMatchObject({ prefixes: ['a/', 'c/'] });
    const [page, query] = await bucket.getFiles({ maxResults: 3, autoPaginate: false });
    expect([names(page), query]).toMatchObject([['a/1', 'a/2', 'b'], { pageToken: expect.any(String) }]);
    expect(names((await bucket.getFiles({ ...query, autoPaginate: false }))[0])).toEqual(['c/d/1', 'z']);
    expect(names((await bucket.getFiles())[0])).toHaveLength(5);
    expect(names((await bucket.getFiles({ startOffset: 'a/2', endOffset: 'z' }))[0])).toEqual([
      'a/2',
      'b',
      'c/d/1',
    ]);
  });

  it('are copied, moved, put together and removed', async () => {
    const bucket = await docs();
    const [other] = await connect().createBucket('other');
    await put(bucket, 'a', 'one', { contentType: 'text/x-own' });
    await put(bucket, 'b', 'two');
    await bucket.file('a').copy(other.file('copy'));
    expect(await read(other, 'copy')).toBe('one');
    expect((await other.file('copy').getMetadata())[0].contentType).toBe('text/x-own');
    await other.file('copy').move('moved');
    expect(await other.file('copy').exists()).toEqual([false]);
    await other.file('moved').moveFileAtomic('again');
    expect((await other.getFiles())[0].map(({ name }) => name)).toEqual(['again']);
    const [both] = await bucket.combine(['a', 'b'], 'both');
    expect((await both.download())[0].toString()).toBe('onetwo');
    const [metadata] = await both.getMetadata();
    expect([metadata.componentCount, metadata.md5Hash]).toEqual([2, undefined]);
    await both.delete();
    await expect(both.delete()).rejects.toMatchObject(refused(404, 'notFound'));
    await expect(bucket.combine(['a', 'none'], 'x')).rejects.toMatchObject({ code: 404 });
  });

  it('have metadata that is changed', async () => {
    const bucket = await docs();
    await put(bucket, 'a', 'x', { metadata: { metadata: { team: 'tea', old: 'x' } } });
    const file = bucket.file('a');
    await file.setMetadata({ contentType: 'text/x-own', metadata: { old: null, new: '1' } });
    expect((await file.getMetadata())[0]).toMatchObject({
      contentType: 'text/x-own',
      metadata: { team: 'tea', new: '1' },
      metageneration: '2',
    });
    expect((await file.getMetadata())[0].metadata).not.toHaveProperty('old');
  });

  it('are answered in part where fields are selected', async () => {
    const bucket = await docs();
    await put(bucket, 'a/1', 'one', { metadata: { metadata: { owner: 'ann', team: 'tea' } } });
    await put(bucket, 'b');
    const [, , told] = (await bucket.getFiles({
      autoPaginate: false,
      maxResults: 1,
      fields: 'items(name,metadata/owner),nextPageToken',
    })) as unknown as [unknown, unknown, object];
    expect(told).toEqual({
      items: [{ name: 'a/1', metadata: { owner: 'ann' } }],
      nextPageToken: expect.any(String),
    });
    expect(await (await ask('/b/docs/o/b?fields=name,size')).json()).toEqual({ name: 'b', size: '1' });
    expect(await (await ask('/b/docs/o?fields=items/name,items/size,*(none)')).json()).toMatchObject({
      items: [
        { name: 'a/1', size: '3' },
        { name: 'b', size: '1' },
      ],
    });
    for (const wrong of ['items(name', 'a,', '/a', 'a)', '*'.repeat(2)])
      expect((await ask(`/b/docs/o?fields=${encodeURIComponent(wrong)}`)).status).toBe(400);
  });

  it('are refused with an access list that nobody knows', async () => {
    const bucket = await docs();
    await put(bucket, 'a', 'x', { predefinedAcl: 'publicRead' });
    await expect(put(bucket, 'b', 'x', { predefinedAcl: 'everybody' as never })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('publicRead'),
    });
  });

  it('are written and removed under conditions', async () => {
    const bucket = await docs();
    const isNew = { preconditionOpts: { ifGenerationMatch: 0 } };
    await put(bucket, 'a', 'one', isNew);
    await expect(put(bucket, 'a', 'two', isNew)).rejects.toMatchObject(refused(412, 'conditionNotMet'));
    const [{ generation }] = await bucket.file('a').getMetadata();
    await put(bucket, 'a', 'two', { preconditionOpts: { ifGenerationMatch: Number(generation) } });
    await expect(bucket.file('a').delete({ ifGenerationMatch: Number(generation) })).rejects.toMatchObject({
      code: 412,
    });
    await expect(bucket.file('a', { generation: Number(generation) }).getMetadata()).rejects.toMatchObject({
      code: 404,
    });
    expect(await read(bucket, 'a')).toBe('two');
    const same = await ask('/storage/v1/b/docs/o/a?ifMetagenerationNotMatch=1');
    expect(same.status).toBe(304);
    expect((await ask('/storage/v1/b/docs/o/a?ifGenerationMatch=x')).status).toBe(400);
  });

  it('stand in a configuration as text or JSON', async () => {
    backlot.collection('google:buckets').create({ id: 'docs' });
    backlot.collection('google:objects').create({ id: 'docs/a.json', json: { a: 1 } });
    const bucket = connect().bucket('docs');
    expect(await read(bucket, 'a.json')).toBe('{"a":1}');
    expect((await bucket.file('a.json').getMetadata())[0]).toMatchObject({
      contentType: 'application/json',
      size: '7',
    });
  });

  it('are read and listed without the version in the path, as the variable makes the SDK do', async () => {
    await put(await docs(), 'a', 'text');
    expect(await (await ask('/b/docs/o/a?alt=media')).text()).toBe('text');
    const none = await ask('/b/docs/x');
    expect([none.status, await none.json()]).toMatchObject([
      501,
      { error: { message: expect.stringContaining('/x of a bucket') } },
    ]);
    expect((await ask('/storage/v1/nothing', { method: 'POST' })).status).toBe(404);
    expect((await ask('/storage/v1/b?project=p', { method: 'POST', body: '[' })).status).toBe(400);
  });
});

describe('scenarios of Storage', () => {
  it.each([
    ['rate-limited', refused(429, 'rateLimitExceeded')],
    ['outage', refused(503, 'backendError')],
    ['expired-credentials', refused(401, 'authError')],
  ])('%s', async (name, error) => {
    backlot.scenarios.activate(`google:${name}`);
    await expect(connect().bucket('docs').getMetadata()).rejects.toMatchObject(error);
  });

  it('rate-limited-twice is overcome by the retries of the client', async () => {
    const bucket = await docs();
    backlot.scenarios.activate('google:rate-limited-twice');
    const retrying = connect({ autoRetry: true, maxRetries: 3, maxRetryDelay: 0.01 });
    expect(await retrying.bucket(bucket.name).exists()).toEqual([true]);
  });

  it('upload-interrupted is overcome by sending a piece again', async () => {
    const bucket = await docs(connect({ autoRetry: true, maxRetries: 3, maxRetryDelay: 1 }));
    backlot.scenarios.activate('google:upload-interrupted');
    const bytes = Buffer.alloc(300 * 1024, 'x');
    const preconditionOpts = { ifGenerationMatch: 0 };
    const target = bucket
      .file('large')
      .createWriteStream({ resumable: true, chunkSize: 256 * 1024, preconditionOpts });
    await pipeline(Readable.from([bytes]), target);
    expect((await bucket.file('large').getMetadata())[0].size).toBe(String(bytes.length));
  });
});
