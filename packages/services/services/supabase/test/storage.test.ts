import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useBacklot } from '@backlot/testing';
import { connectTo } from './support.js';

const backlot = useBacklot({ services: ['supabase'] });

let client: SupabaseClient;
const BYTES = Buffer.from([0, 255, 1, 254, 10, 13]);

beforeEach(async () => {
  client = connectTo(backlot.env.SUPABASE_URL, backlot.env.SUPABASE_SERVICE_ROLE_KEY);
  await client.storage.createBucket('pictures', {
    public: false,
    fileSizeLimit: '1KB',
    allowedMimeTypes: ['image/*'],
  });
});

const pictures = () => client.storage.from('pictures');
const bytesOf = async (blob: Blob | null): Promise<Buffer> =>
  Buffer.from(blob === null ? new ArrayBuffer(0) : await blob.arrayBuffer());

describe('objects', () => {
  it('are uploaded and downloaded with their bytes', async () => {
    const { data, error } = await pictures().upload('cats/a b.png', BYTES, { contentType: 'image/png' });
    expect([error, data]).toMatchObject([null, { path: 'cats/a b.png', fullPath: 'pictures/cats/a b.png' }]);
    const got = await pictures().download('cats/a b.png');
    expect(got.data?.type).toBe('image/png');
    expect(await bytesOf(got.data)).toEqual(BYTES);
    const info = await pictures().info('cats/a b.png');
    expect(info.data).toMatchObject({ size: 6, contentType: 'image/png' });
    expect((await pictures().exists('cats/a b.png')).data).toBe(true);
  });

  it('come in a form as well, and are replaced when that is wanted', async () => {
    const blob = new Blob(['one'], { type: 'image/svg+xml' });
    expect(
      (await pictures().upload('a.svg', blob, { cacheControl: '60', metadata: { by: 'ann' } })).error,
    ).toBeNull();
    const again = await pictures().upload('a.svg', blob);
    expect(again.error).toMatchObject({ statusCode: '409', message: 'The resource already exists' });
    expect(
      (await pictures().upload('a.svg', new Blob(['two'], { type: 'image/png' }), { upsert: true })).error,
    ).toBeNull();
    expect((await bytesOf((await pictures().download('a.svg')).data)).toString()).toBe('two');
    expect((await pictures().update('a.svg', new Blob(['three'], { type: 'image/png' }))).error).toBeNull();
    expect(backlot.collection('supabase:storage.objects').get('pictures/a.svg')).toMatchObject({ size: 5 });
  });

  it('are listed by folder, copied, moved and removed', async () => {
    for (const name of ['cats/a.png', 'cats/b.png', 'c.png'])
      await pictures().upload(name, BYTES, { contentType: 'image/png' });
    const names = async (path?: string): Promise<unknown> =>
      (await pictures().list(path)).data?.map(({ name, id }) => [name, id === null]);
    expect(await names()).toEqual([
      ['c.png', false],
      ['cats', true],
    ]);
    expect(await names('cats')).toEqual([
      ['a.png', false],
      ['b.png', false],
    ]);
    await pictures().copy('c.png', 'd.png');
    await pictures().move('c.png', 'e.png');
    const gone = await pictures().remove(['cats/a.png', 'none.png']);
    expect(gone.data).toMatchObject([{ name: 'cats/a.png' }]);
    const left = await pictures().list('', {
      search: '',
      sortBy: { column: 'name', order: 'desc' },
      limit: 2,
    });
    expect(left.data?.map(({ name }) => name)).toEqual(['e.png', 'd.png']);
  });

  it('are refused as the storage does', async () => {
    const missing = await pictures().download('none.png');
    expect(missing.error?.message).toBeTruthy();
    const large = await pictures().upload('x.png', Buffer.alloc(1001), { contentType: 'image/png' });
    expect(large.error).toMatchObject({ statusCode: '413' });
    const type = await pictures().upload('x.txt', 'text', { contentType: 'text/plain' });
    expect(type.error).toMatchObject({ statusCode: '415', message: 'mime type text/plain is not supported' });
    const nowhere = await client.storage.from('none').upload('x', 'x');
    expect(nowhere.error).toMatchObject({ statusCode: '404', message: 'Bucket not found' });
  });
});

describe('links', () => {
  it('are for one object, until their time is over', async () => {
    await pictures().upload('a.png', BYTES, { contentType: 'image/png' });
    const { data } = await pictures().createSignedUrl('a.png', 60, { download: 'cat.png' });
    const url = data?.signedUrl ?? '';
    const response = await fetch(url);
    expect(response.headers.get('content-disposition')).toContain('cat.png');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(BYTES);
    expect((await fetch(url.replace('a.png', 'b.png'))).status).toBe(400);
    await backlot.clock.advance(61_000);
    expect((await fetch(url)).status).toBe(400);
    const many = await pictures().createSignedUrls(['a.png', 'none.png'], 60);
    expect(many.data?.map(({ error }) => error === null)).toEqual([true, false]);
  });

  it('are for uploads too, and public buckets need none', async () => {
    const { data } = await pictures().createSignedUploadUrl('new.png');
    const put = await pictures().uploadToSignedUrl(data?.path ?? '', data?.token ?? '', BYTES, {
      contentType: 'image/png',
    });
    expect(put.error).toBeNull();
    const { publicUrl } = pictures().getPublicUrl('new.png').data;
    expect((await fetch(publicUrl)).status).toBe(400);
    await client.storage.updateBucket('pictures', { public: true });
    expect(Buffer.from(await (await fetch(publicUrl)).arrayBuffer())).toEqual(BYTES);
  });
});

it('buckets are made, listed, emptied and removed', async () => {
  await pictures().upload('a.png', BYTES, { contentType: 'image/png' });
  expect((await client.storage.listBuckets()).data).toMatchObject([
    { id: 'pictures', file_size_limit: 1000 },
  ]);
  expect((await client.storage.createBucket('pictures')).error).toMatchObject({ statusCode: '409' });
  expect((await client.storage.deleteBucket('pictures')).error).toMatchObject({ statusCode: '409' });
  await client.storage.emptyBucket('pictures');
  expect((await client.storage.deleteBucket('pictures')).error).toBeNull();
  expect((await client.storage.getBucket('pictures')).error).toMatchObject({ statusCode: '404' });
});
