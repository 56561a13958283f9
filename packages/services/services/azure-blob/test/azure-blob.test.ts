import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import {
  AccountSASPermissions,
  AnonymousCredential,
  BlobSASPermissions,
  BlobServiceClient,
  type ContainerClient,
  ContainerSASPermissions,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['azure-blob'] });

const ONCE = { retryOptions: { maxTries: 1 } };

function connect(options: object = ONCE): BlobServiceClient {
  return BlobServiceClient.fromConnectionString(backlot.env.AZURE_STORAGE_CONNECTION_STRING, options);
}

/** A container that was made. */
async function docs(): Promise<ContainerClient> {
  const container = connect().getContainerClient('docs');
  await container.create();
  return container;
}

const put = (container: ContainerClient, name: string, text = name): Promise<unknown> =>
  container.getBlockBlobClient(name).upload(text, Buffer.byteLength(text));
const read = async (container: ContainerClient, name: string): Promise<string> =>
  (await container.getBlobClient(name).downloadToBuffer()).toString();

const code = (statusCode: number, errorCode: string): object => ({ statusCode, code: errorCode });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of items) found.push(one);
  return found;
}

describe('containers', () => {
  it('are made, found, listed in pages, and removed', async () => {
    const service = connect();
    for (const name of ['docs', 'photos', 'videos'])
      await service.createContainer(name, {
        metadata: { team: name },
        ...(name === 'docs' && { access: 'blob' as const }),
      });
    expect(await service.getContainerClient('docs').getProperties()).toMatchObject({
      blobPublicAccess: 'blob',
      metadata: { team: 'docs' },
      leaseState: 'available',
    });
    const pages = service.listContainers({ includeMetadata: true }).byPage({ maxPageSize: 2 });
    expect((await all(pages)).map(({ containerItems }) => containerItems.map(({ name }) => name))).toEqual([
      ['docs', 'photos'],
      ['videos'],
    ]);
    expect(await all(service.listContainers({ prefix: 'ph' }))).toMatchObject([{ name: 'photos' }]);
    await service.deleteContainer('photos');
    expect(await service.getContainerClient('photos').exists()).toBe(false);
    expect(await service.getContainerClient('docs').createIfNotExists()).toMatchObject({ succeeded: false });
  });

  it('are refused in the form of Azure', async () => {
    const service = connect();
    await docs();
    const call = service.createContainer('docs');
    await expect(call).rejects.toBeInstanceOf(RestError);
    await expect(call).rejects.toMatchObject({
      ...code(409, 'ContainerAlreadyExists'),
      details: { errorCode: 'ContainerAlreadyExists' },
    });
    await expect(service.createContainer('No_Name')).rejects.toMatchObject(code(400, 'InvalidResourceName'));
    await expect(service.deleteContainer('none')).rejects.toMatchObject(code(404, 'ContainerNotFound'));
    await expect(put(service.getContainerClient('none'), 'a')).rejects.toMatchObject(
      code(404, 'ContainerNotFound'),
    );
  });

  it('have metadata and stored access policies', async () => {
    const container = await docs();
    await container.setMetadata({ a: '1' });
    const policy = { startsOn: new Date(0), expiresOn: new Date(4e12), permissions: 'rl' };
    await container.setAccessPolicy('container', [{ id: 'readers', accessPolicy: policy }]);
    expect(await container.getAccessPolicy()).toMatchObject({
      blobPublicAccess: 'container',
      signedIdentifiers: [{ id: 'readers', accessPolicy: { permissions: 'rl' } }],
    });
    expect((await container.getProperties()).metadata).toEqual({ a: '1' });
  });
});

describe('block blobs', () => {
  it('keep their bytes and all that was said of them', async () => {
    const blob = (await docs()).getBlockBlobClient('sub/ä b.bin');
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    await blob.uploadData(bytes, {
      blobHTTPHeaders: {
        blobContentType: 'image/x-own',
        blobCacheControl: 'no-cache',
        blobContentEncoding: 'own',
      },
      metadata: { team: 'tea' },
      tags: { kind: 'green tea' },
      tier: 'Cool',
    });
    expect(await blob.getProperties()).toMatchObject({
      contentLength: 5,
      contentType: 'image/x-own',
      cacheControl: 'no-cache',
      contentEncoding: 'own',
      metadata: { team: 'tea' },
      blobType: 'BlockBlob',
      accessTier: 'Cool',
      contentMD5: expect.anything(),
    });
    expect(await blob.downloadToBuffer()).toEqual(bytes);
    expect((await blob.getTags()).tags).toEqual({ kind: 'green tea' });
    expect(backlot.collection('azure-blob:blobs').get('docs/sub/ä b.bin')).toMatchObject({ content: bytes });
  });

  it('are read by ranges and as streams', async () => {
    const container = await docs();
    await put(container, 'a', '0123456789');
    const part = await container.getBlobClient('a').download(2, 3);
    const pieces = part.readableStreamBody ?? Readable.from([]);
    expect(part).toMatchObject({ contentLength: 3, contentRange: 'bytes 2-4/10' });
    expect((await all(pieces as AsyncIterable<Buffer>)).map(String).join('')).toBe('234');
    await expect(container.getBlobClient('a').download(50)).rejects.toMatchObject(code(416, 'InvalidRange'));
  });

  it('are put together from blocks, also by a stream', async () => {
    const container = await docs();
    const blob = container.getBlockBlobClient('parts');
    const id = (text: string): string => Buffer.from(text).toString('base64');
    await blob.stageBlock(id('b'), 'two', 3);
    await blob.stageBlock(id('a'), 'one', 3);
    expect(await blob.exists()).toBe(false);
    await blob.commitBlockList([id('a'), id('b')]);
    expect(await read(container, 'parts')).toBe('onetwo');
    await blob.stageBlock(id('c'), '!', 1);
    const list = await blob.getBlockList('all');
    expect(list.committedBlocks).toMatchObject([{ size: 3 }, { size: 3 }]);
    expect(list.uncommittedBlocks).toMatchObject([{ size: 1 }]);
    await blob.commitBlockList([id('c'), id('a')]);
    expect(await read(container, 'parts')).toBe('!one');
    await expect(blob.commitBlockList([id('x')])).rejects.toMatchObject(code(400, 'InvalidBlockList'));
    const stream = container.getBlockBlobClient('stream');
    await stream.uploadStream(Readable.from([Buffer.alloc(70_000, 1), Buffer.alloc(70_000, 2)]), 65_536, 2);
    expect((await stream.downloadToBuffer()).length).toBe(140_000);
  });

  it('are written and read under conditions', async () => {
    const container = await docs();
    const blob = container.getBlockBlobClient('a');
    const { etag = '' } = await blob.upload('one', 3, { conditions: { ifNoneMatch: '*' } });
    await expect(blob.upload('two', 3, { conditions: { ifNoneMatch: '*' } })).rejects.toMatchObject(
      code(409, 'BlobAlreadyExists'),
    );
    await blob.upload('two', 3, { conditions: { ifMatch: etag } });
    await expect(blob.upload('three', 5, { conditions: { ifMatch: etag } })).rejects.toMatchObject(
      code(412, 'ConditionNotMet'),
    );
    const now = await blob.getProperties();
    await expect(
      blob.download(0, undefined, { conditions: { ifNoneMatch: now.etag ?? '' } }),
    ).rejects.toMatchObject({ statusCode: 304 });
    await expect(blob.delete({ conditions: { ifMatch: '"0x0"' } })).rejects.toMatchObject({
      statusCode: 412,
    });
  });

  it('change their metadata, headers, tags and tier', async () => {
    const container = await docs();
    const blob = container.getBlockBlobClient('a');
    await put(container, 'a');
    await blob.setMetadata({ one: '1' });
    await blob.setHTTPHeaders({ blobContentType: 'text/plain', blobContentLanguage: 'de' });
    await blob.setTags({ team: 'tea' });
    expect(await blob.getProperties()).toMatchObject({
      metadata: { one: '1' },
      contentType: 'text/plain',
      contentLanguage: 'de',
      tagCount: 1,
    });
    await blob.setAccessTier('Archive');
    await expect(blob.download()).rejects.toMatchObject(code(409, 'BlobArchived'));
    await expect(blob.setAccessTier('P4')).rejects.toMatchObject(code(400, 'InvalidHeaderValue'));
    await put(container, 'b');
    const found = await all(connect().findBlobsByTags(`"team" = 'tea' AND @container = 'docs'`));
    expect(found).toMatchObject([{ name: 'a', containerName: 'docs', tags: { team: 'tea' } }]);
    await expect(all(connect().findBlobsByTags('nonsense'))).rejects.toMatchObject(
      code(400, 'InvalidQueryParameterValue'),
    );
  });

  it('are copied, at once and with a poller', async () => {
    const container = await docs();
    await put(container, 'a', 'text');
    await container.getBlobClient('a').setMetadata({ x: '1' });
    const { url } = container.getBlobClient('a');
    const poller = await container.getBlobClient('b').beginCopyFromURL(url, { intervalInMs: 10 });
    expect(await poller.pollUntilDone()).toMatchObject({ copyStatus: 'success' });
    expect(await container.getBlobClient('b').getProperties()).toMatchObject({
      metadata: { x: '1' },
      copyStatus: 'success',
    });
    await container.getBlobClient('c').syncCopyFromURL(url);
    await container.getBlockBlobClient('d').syncUploadFromURL(url);
    expect([await read(container, 'c'), await read(container, 'd')]).toEqual(['text', 'text']);
    await expect(container.getBlobClient('e').syncCopyFromURL(`${url}-none`)).rejects.toMatchObject(
      code(404, 'CannotVerifyCopySource'),
    );
  });

  it('have snapshots, which keep a blob from being removed', async () => {
    const container = await docs();
    const blob = container.getBlockBlobClient('a');
    await put(container, 'a', 'one');
    const { snapshot = '' } = await blob.createSnapshot();
    await put(container, 'a', 'two');
    expect((await blob.withSnapshot(snapshot).downloadToBuffer()).toString()).toBe('one');
    expect(await read(container, 'a')).toBe('two');
    const list = await all(container.listBlobsFlat({ includeSnapshots: true }));
    expect(list.map((one) => one.snapshot)).toEqual([snapshot, undefined]);
    await expect(blob.delete()).rejects.toMatchObject(code(409, 'SnapshotsPresent'));
    await blob.delete({ deleteSnapshots: 'include' });
    expect(await blob.withSnapshot(snapshot).exists()).toBe(false);
  });
});

describe('append blobs', () => {
  it('grow block by block', async () => {
    const blob = (await docs()).getAppendBlobClient('log');
    await blob.create();
    await blob.appendBlock('one,', 4);
    const made = await blob.appendBlock('two', 3, { conditions: { appendPosition: 4 } });
    expect(made).toMatchObject({ blobAppendOffset: '4', blobCommittedBlockCount: 2 });
    expect((await blob.downloadToBuffer()).toString()).toBe('one,two');
    await expect(blob.appendBlock('x', 1, { conditions: { appendPosition: 4 } })).rejects.toMatchObject(
      code(412, 'AppendPositionConditionNotMet'),
    );
    await expect(blob.appendBlock('x', 1, { conditions: { maxSize: 7 } })).rejects.toMatchObject(
      code(412, 'MaxBlobSizeConditionNotMet'),
    );
  });

  it('are not what a block blob is, and page blobs are refused', async () => {
    const container = await docs();
    await put(container, 'a');
    await expect(container.getAppendBlobClient('a').appendBlock('x', 1)).rejects.toMatchObject(
      code(409, 'InvalidBlobType'),
    );
    await expect(container.getPageBlobClient('p').create(512)).rejects.toMatchObject(
      code(400, 'InvalidHeaderValue'),
    );
  });
});

describe('lists', () => {
  it('have prefixes, delimiters and pages', async () => {
    const container = await docs();
    for (const name of ['a.txt', 'b/1.txt', 'b/2.txt', 'c/d/3.txt', 'z.txt']) await put(container, name);
    expect((await all(container.listBlobsFlat({ prefix: 'b/' }))).map(({ name }) => name)).toEqual([
      'b/1.txt',
      'b/2.txt',
    ]);
    const pages = await all(container.listBlobsFlat().byPage({ maxPageSize: 2 }));
    expect(pages.map(({ segment }) => segment.blobItems.length)).toEqual([2, 2, 1]);
    const tree = await all(container.listBlobsByHierarchy('/'));
    expect(tree.map(({ kind, name }) => [kind, name])).toEqual([
      ['prefix', 'b/'],
      ['prefix', 'c/'],
      ['blob', 'a.txt'],
      ['blob', 'z.txt'],
    ]);
    expect((await all(container.listBlobsByHierarchy('/').byPage({ maxPageSize: 3 }))).length).toBe(2);
  });

  it('have properties, metadata and tags', async () => {
    const container = await docs();
    await container.getBlockBlobClient('a & <b>').upload('x', 1, { metadata: { m: '1' }, tags: { t: '2' } });
    const [item] = await all(container.listBlobsFlat({ includeMetadata: true, includeTags: true }));
    expect(item).toMatchObject({
      name: 'a & <b>',
      metadata: { m: '1' },
      tags: { t: '2' },
      properties: { contentLength: 1, blobType: 'BlockBlob', leaseState: 'available' },
    });
  });
});

describe('leases', () => {
  it('keep others from writing, and are renewed, changed, released and broken', async () => {
    const container = await docs();
    const blob = container.getBlockBlobClient('a');
    await put(container, 'a');
    const lease = blob.getBlobLeaseClient();
    const { leaseId = '' } = await lease.acquireLease(15);
    await expect(put(container, 'a', 'x')).rejects.toMatchObject(code(412, 'LeaseIdMissing'));
    await expect(blob.getBlobLeaseClient().acquireLease(15)).rejects.toMatchObject(
      code(409, 'LeaseAlreadyPresent'),
    );
    await blob.upload('mine', 4, { conditions: { leaseId } });
    expect(await blob.getProperties()).toMatchObject({ leaseState: 'leased', leaseDuration: 'fixed' });
    await lease.renewLease();
    await lease.changeLease('11111111-2222-3333-4444-555555555555');
    await expect(blob.delete({ conditions: { leaseId } })).rejects.toMatchObject(
      code(412, 'LeaseIdMismatchWithBlobOperation'),
    );
    await lease.releaseLease();
    await put(container, 'a', 'free');
    await blob.getBlobLeaseClient().acquireLease(-1);
    await blob.getBlobLeaseClient().breakLease(0);
    expect((await blob.getProperties()).leaseState).toBe('broken');
    await container.getBlobLeaseClient().acquireLease(-1);
    await expect(container.delete()).rejects.toMatchObject(code(412, 'LeaseIdMissing'));
  });

  it('are over after their time, by the virtual clock', async () => {
    const container = await docs();
    await put(container, 'a');
    await container.getBlobClient('a').getBlobLeaseClient().acquireLease(15);
    await backlot.clock.advance(16_000);
    expect((await container.getBlobClient('a').getProperties()).leaseState).toBe('expired');
    await put(container, 'a', 'x');
  });
});

describe('batches', () => {
  it('remove many blobs, each with an answer of its own', async () => {
    const container = await docs();
    await put(container, 'a');
    await put(container, 'b');
    const service = connect();
    const credential = new StorageSharedKeyCredential(
      backlot.env.AZURE_STORAGE_ACCOUNT,
      backlot.env.AZURE_STORAGE_KEY,
    );
    const urls = ['a', 'none', 'b'].map((name) => container.getBlobClient(name).url);
    const answer = await service.getBlobBatchClient().deleteBlobs(urls, credential);
    expect(answer).toMatchObject({ subResponsesSucceededCount: 2, subResponsesFailedCount: 1 });
    expect(answer.subResponses.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [202, undefined],
      [404, 'BlobNotFound'],
      [202, undefined],
    ]);
    expect(backlot.collection('azure-blob:blobs').size).toBe(0);
  });
});

describe('who calls', () => {
  it('is checked by the signature of the shared key', async () => {
    const wrong = new StorageSharedKeyCredential('devstoreaccount1', Buffer.from('wrong').toString('base64'));
    const service = new BlobServiceClient(backlot.env.AZURE_STORAGE_BLOB_ENDPOINT, wrong, ONCE);
    await expect(service.createContainer('docs')).rejects.toMatchObject(code(403, 'AuthenticationFailed'));
    const nobody = new BlobServiceClient(
      backlot.env.AZURE_STORAGE_BLOB_ENDPOINT,
      new AnonymousCredential(),
      ONCE,
    );
    await expect(nobody.createContainer('docs')).rejects.toMatchObject(
      code(401, 'NoAuthenticationInformation'),
    );
    await connect().createContainer('open', { access: 'container' });
    await put(connect().getContainerClient('open'), 'a', 'for all');
    expect(await read(nobody.getContainerClient('open'), 'a')).toBe('for all');
    await expect(put(nobody.getContainerClient('open'), 'a')).rejects.toMatchObject({ statusCode: 401 });
  });

  it('is checked by a shared access signature, its permissions and its time', async () => {
    const container = await docs();
    await put(container, 'a', 'text');
    const expiresOn = new Date(Date.now() + 60_000);
    const url = await container.getBlobClient('a').generateSasUrl({
      permissions: BlobSASPermissions.parse('r'),
      expiresOn,
      contentType: 'text/own',
    });
    const answer = await fetch(url);
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/own', 'text']);
    const refused = async (address: string, init: object = {}): Promise<unknown> => {
      const { status, headers } = await fetch(address, init);
      return [status, headers.get('x-ms-error-code')];
    };
    expect(await refused(url, { method: 'DELETE' })).toEqual([403, 'AuthorizationPermissionMismatch']);
    expect(await refused(url.replace('/a?', '/b?'))).toEqual([403, 'AuthenticationFailed']);
    expect(await refused(url.replace('sp=r', 'sp=rd'))).toEqual([403, 'AuthenticationFailed']);
    const list = await container.generateSasUrl({
      permissions: ContainerSASPermissions.parse('rl'),
      expiresOn,
    });
    expect((await fetch(`${list}&restype=container&comp=list`)).status).toBe(200);
    const account = connect().generateAccountSasUrl(expiresOn, AccountSASPermissions.parse('rwl'), 'sco');
    const service = new BlobServiceClient(account, undefined, ONCE);
    expect(await all(service.listContainers())).toMatchObject([{ name: 'docs' }]);
    await expect(service.deleteContainer('docs')).rejects.toMatchObject({ statusCode: 403 });
    await backlot.clock.advance(61_000);
    expect(await refused(url)).toEqual([403, 'AuthenticationFailed']);
  });
});

describe('errors and scenarios', () => {
  it('what is not known says what is', async () => {
    const address = `${backlot.env.AZURE_STORAGE_BLOB_ENDPOINT}/docs?restype=container&comp=nonsense`;
    const answer = await fetch(address);
    expect([answer.status, answer.headers.get('x-ms-error-code')]).toEqual([400, 'InvalidUri']);
    expect(await answer.text()).toMatch(/knows for a container.*GET comp=list/);
    await expect(connect().getProperties()).resolves.toBeDefined();
    expect(await connect().getAccountInfo()).toMatchObject({ skuName: 'Standard_LRS' });
  });

  it.each([
    ['throttled', 503, 'ServerBusy'],
    ['outage', 500, 'InternalError'],
    ['wrong-credentials', 403, 'AuthenticationFailed'],
    ['expired-signature', 403, 'AuthenticationFailed'],
    ['account-disabled', 403, 'AccountIsDisabled'],
  ])('%s answers with %d %s', async (scenario, status, name) => {
    backlot.scenarios.activate(`azure-blob:${scenario}`);
    await expect(connect().createContainer('docs')).rejects.toMatchObject(code(status, name));
  });

  it('throttled-twice lets the third attempt of the SDK pass', async () => {
    backlot.scenarios.activate('azure-blob:throttled-twice');
    const service = connect({ retryOptions: { maxTries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 2 } });
    expect(await service.createContainer('docs')).toBeDefined();
  });

  it('copy-pending makes the SDK poll', async () => {
    const container = await docs();
    await put(container, 'a');
    backlot.scenarios.activate('azure-blob:copy-pending');
    const poller = await container
      .getBlobClient('b')
      .beginCopyFromURL(container.getBlobClient('a').url, { intervalInMs: 10 });
    await poller.poll();
    expect(poller.getOperationState().isCompleted ?? false).toBe(false);
    await backlot.clock.advance(3000);
    expect(await poller.pollUntilDone()).toMatchObject({ copyStatus: 'success' });
  });
});
