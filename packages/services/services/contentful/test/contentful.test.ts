import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { createClient, type ContentfulClientApi } from 'contentful';
import { createClient as createManagementClient, type PlainClientAPI } from 'contentful-management';

const backlot = useBacklot({ services: ['contentful'] });

function placeOf(api: string): { host: string; basePath: string; insecure: true } {
  const { host, pathname } = new URL(backlot.env.CONTENTFUL_URL);
  return { host, basePath: `${pathname}/${api}`, insecure: true };
}

function connect(
  api: 'delivery' | 'preview' = 'delivery',
  options: object = {},
): ContentfulClientApi<undefined> {
  return createClient({
    ...placeOf(api),
    space: backlot.env.CONTENTFUL_SPACE_ID,
    accessToken: backlot.env.CONTENTFUL_ACCESS_TOKEN,
    retryOnError: false,
    ...options,
  });
}

function manage(accessToken = backlot.env.CONTENTFUL_MANAGEMENT_TOKEN): PlainClientAPI {
  return createManagementClient(
    { ...placeOf('management'), accessToken, retryOnError: false },
    { type: 'plain', defaults: { spaceId: backlot.env.CONTENTFUL_SPACE_ID, environmentId: 'master' } },
  );
}

const link = (linkType: string, id: string): object => ({ sys: { type: 'Link', linkType, id } });

/** Two posts by an author, with a picture, as rows. */
function withPosts(): void {
  backlot.collection('contentful:content_types').setAll([
    {
      id: 'post',
      name: 'Post',
      displayField: 'title',
      fields: [
        { id: 'title', name: 'Title', type: 'Symbol', required: true, localized: true },
        { id: 'rank', name: 'Rank', type: 'Integer' },
        { id: 'tags', name: 'Tags', type: 'Array', items: { type: 'Symbol' } },
        { id: 'author', name: 'Author', type: 'Link', linkType: 'Entry' },
        { id: 'picture', name: 'Picture', type: 'Link', linkType: 'Asset' },
      ],
    },
    { id: 'author', name: 'Author', fields: [{ id: 'name', name: 'Name', type: 'Symbol' }] },
  ]);
  backlot.collection('contentful:entries').setAll([
    { id: 'ann', content_type: 'author', fields: { name: { 'en-US': 'Ann' } } },
    {
      id: 'one',
      content_type: 'post',
      fields: {
        title: { 'en-US': 'Green tea', de: 'Grüner Tee' },
        rank: { 'en-US': 1 },
        tags: { 'en-US': ['tea', 'green'] },
        author: { 'en-US': link('Entry', 'ann') },
        picture: { 'en-US': link('Asset', 'cup') },
      },
    },
    {
      id: 'two',
      content_type: 'post',
      fields: {
        title: { 'en-US': 'Black tea' },
        rank: { 'en-US': 2 },
        tags: { 'en-US': ['tea'] },
        author: { 'en-US': link('Entry', 'none') },
      },
    },
  ]);
  backlot.collection('contentful:assets').setAll([
    {
      id: 'cup',
      fields: {
        title: { 'en-US': 'Cup' },
        file: { 'en-US': { url: '//localhost/cup.png', contentType: 'image/png', fileName: 'cup.png' } },
      },
    },
  ]);
}

const idsOf = ({ items }: { items: readonly { sys: { id: string } }[] }): string[] =>
  items.map(({ sys }) => sys.id);

/** What an error of the management API says: its name, and what stands in its message. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  const { status } = JSON.parse(error?.message ?? '{}') as { status?: number };
  return [error?.name, status];
}

describe('delivery', () => {
  it('resolves what entries link to', async () => {
    withPosts();
    const found = await connect().getEntries({ content_type: 'post', order: ['fields.rank'] } as never);
    expect(found).toMatchObject({ total: 2, skip: 0, limit: 100 });
    expect(found.items[0]).toMatchObject({
      sys: { id: 'one', locale: 'en-US', contentType: { sys: { id: 'post' } } },
      fields: {
        title: 'Green tea',
        author: { fields: { name: 'Ann' } },
        picture: { fields: { file: { contentType: 'image/png' } } },
      },
    });
    expect(found.items[1]?.fields['author']).toMatchObject(link('Entry', 'none'));
    expect(found.errors).toMatchObject([{ sys: { id: 'notResolvable' }, details: { id: 'none' } }]);
    const without = await connect().getEntries({ content_type: 'post', include: 0 });
    expect(without.includes).toBeUndefined();
    expect(await connect().getEntry('one')).toMatchObject({
      fields: { title: 'Green tea', author: { fields: { name: 'Ann' } } },
    });
  });

  it.each([
    [{ 'fields.title': 'Green tea' }, ['one']],
    [{ 'fields.title[ne]': 'Green tea' }, ['two']],
    [{ 'fields.tags[in]': 'green,old' }, ['one']],
    [{ 'fields.tags[all]': 'tea,green' }, ['one']],
    [{ 'fields.rank[gte]': 2 }, ['two']],
    [{ 'fields.picture[exists]': false }, ['two']],
    [{ 'fields.title[match]': 'gre' }, ['one']],
    [{ 'fields.author.sys.id': 'ann' }, ['one']],
    [{ links_to_asset: 'cup' }, ['one']],
    [{ query: 'black' }, ['two']],
    [{ order: '-fields.rank', limit: 1 }, ['two']],
    [{ order: 'fields.rank', skip: 1 }, ['two']],
    [{ 'sys.id[nin]': 'one' }, ['two']],
  ])('finds entries by %j', async (query, expected) => {
    withPosts();
    expect(idsOf(await connect().getEntries({ content_type: 'post', ...query } as never))).toEqual(expected);
  });

  it('has locales, with what stands in for them, and shows what is selected', async () => {
    withPosts();
    const german = await connect().getEntries({
      content_type: 'post',
      order: ['fields.rank'],
      locale: 'de',
    } as never);
    expect(german.items.map(({ fields }) => fields['title'])).toEqual(['Grüner Tee', 'Black tea']);
    const all = await connect().withAllLocales.getEntry('one');
    expect(all.fields['title']).toEqual({ 'en-US': 'Green tea', de: 'Grüner Tee' });
    const few = await connect().getEntries({
      content_type: 'post',
      select: ['fields.title'],
      'sys.id': 'one',
    } as never);
    expect(few.items[0]?.fields).toEqual({ title: 'Green tea' });
    expect((await connect().getLocales()).items).toMatchObject([
      { code: 'en-US', default: true },
      { code: 'de', fallbackCode: 'en-US' },
    ]);
    expect(await connect().getContentType('post')).toMatchObject({
      displayField: 'title',
      fields: [{ id: 'title', required: true }, {}, {}, {}, {}],
    });
    expect(await connect().getAsset('cup')).toMatchObject({ fields: { title: 'Cup' } });
  });

  it('refuses what it does not know in the form of Contentful', async () => {
    withPosts();
    const refused = async (call: Promise<unknown>): Promise<unknown> => refusal(call);
    expect(await refused(connect().getAsset('none'))).toEqual(['NotFound', 404]);
    expect(await refused(connect().getEntries({ 'fields.title': 'x' } as never))).toEqual([
      'InvalidQuery',
      400,
    ]);
    expect(
      await refused(connect().getEntries({ content_type: 'post', 'fields.none': 'x' } as never)),
    ).toEqual(['InvalidQuery', 400]);
    expect(await refused(connect().getEntries({ content_type: 'none' }))).toEqual(['InvalidQuery', 400]);
    expect(await refused(connect().getEntries({ nonsense: 1 } as never))).toEqual(['InvalidQuery', 400]);
    expect(await refused(connect().getEntries({ locale: 'xx' }))).toEqual(['BadRequest', 400]);
    expect(await refused(connect('delivery', { accessToken: 'invalid' }).getEntries())).toEqual([
      'AccessTokenInvalid',
      401,
    ]);
    expect(await refused(connect('delivery', { space: 'other' }).getEntries())).toEqual(['NotFound', 404]);
    const unknown = await fetch(`${backlot.env.CONTENTFUL_URL}/delivery/spaces/backlot/nonsense`);
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      expect.stringMatching(/nonsense.*knows.*GET \/entries/),
    ]);
  });
});

describe('synchronisation', () => {
  it('gives everything in pages, and then what has changed', async () => {
    withPosts();
    const first = await connect().sync({ initial: true, limit: 2 });
    expect(idsOf({ items: first.entries })).toEqual(['ann', 'one', 'two']);
    expect(idsOf({ items: first.assets })).toEqual(['cup']);
    const client = manage();
    const entry = await client.entry.get({ entryId: 'two' });
    await client.entry.unpublish({ entryId: 'two' });
    const made = await client.entry.createWithId(
      { contentTypeId: 'author', entryId: 'bob' },
      { fields: { name: { 'en-US': 'Bob' } } },
    );
    await client.entry.publish({ entryId: 'bob' }, made);
    const next = await connect().sync({ nextSyncToken: first.nextSyncToken ?? '' });
    expect(idsOf({ items: next.entries })).toEqual(['bob']);
    expect(next.deletedEntries.map(({ sys }) => sys.id)).toEqual([entry.sys.id]);
    const last = await connect().sync({ nextSyncToken: next.nextSyncToken ?? '' });
    expect([last.entries, last.deletedEntries]).toEqual([[], []]);
  });
});

describe('management', () => {
  it('makes content types, entries and assets, and publishes them', async () => {
    const client = manage();
    const type = await client.contentType.createWithId(
      { contentTypeId: 'note' },
      {
        name: 'Note',
        displayField: 'text',
        fields: [{ id: 'text', name: 'Text', type: 'Symbol', required: true, localized: false }],
      },
    );
    await client.contentType.publish({ contentTypeId: 'note' }, type);
    const entry = await client.entry.create(
      { contentTypeId: 'note' },
      { fields: { text: { 'en-US': 'first' } } },
    );
    const at = { entryId: entry.sys.id };
    expect(entry.sys).toMatchObject({ version: 1, type: 'Entry' });
    expect((await connect().getEntries()).total).toBe(0);
    expect(idsOf(await connect('preview').getEntries())).toEqual([entry.sys.id]);
    const published = await client.entry.publish(at, entry);
    expect(published.sys).toMatchObject({ version: 2, publishedVersion: 1 });
    await client.entry.update(at, { ...published, fields: { text: { 'en-US': 'second' } } });
    expect((await connect().getEntry(entry.sys.id)).fields).toEqual({ text: 'first' });
    expect((await connect('preview').getEntry(entry.sys.id)).fields).toEqual({ text: 'second' });
    expect(
      idsOf(await client.entry.getMany({ query: { content_type: 'note', 'fields.text': 'second' } })),
    ).toEqual([entry.sys.id]);
    expect(await refusal(client.entry.delete(at))).toEqual(['BadRequest', 400]);
    await client.entry.unpublish(at);
    await client.entry.archive(at);
    await client.entry.unarchive(at);
    await client.entry.delete(at);
    expect(await refusal(client.entry.get(at))).toEqual(['NotFound', 404]);
    const asset = await client.asset.create(
      {},
      {
        fields: {
          title: { 'en-US': 'Cup' },
          file: {
            'en-US': { contentType: 'image/png', fileName: 'cup.png', upload: 'https://example.com/cup.png' },
          },
        },
      },
    );
    const processed = await client.asset.processForLocale({}, asset, 'en-US', { processingCheckWait: 1 });
    await client.asset.publish({ assetId: asset.sys.id }, processed);
    expect((await connect().getAsset(asset.sys.id)).fields.file).toMatchObject({
      url: '//example.com/cup.png',
    });
  });

  it('keeps one from overwriting what another has changed', async () => {
    withPosts();
    const client = manage();
    const entry = await client.entry.get({ entryId: 'one' });
    await client.entry.update({ entryId: 'one' }, entry);
    expect(await refusal(client.entry.update({ entryId: 'one' }, entry))).toEqual(['VersionMismatch', 409]);
    expect(await refusal(client.entry.publish({ entryId: 'one' }, entry))).toEqual(['VersionMismatch', 409]);
  });

  it('refuses what does not fit the content type', async () => {
    withPosts();
    const client = manage();
    const make = (fields: object): Promise<unknown> =>
      client.entry.create({ contentTypeId: 'post' }, { fields });
    expect(await refusal(make({ none: { 'en-US': 1 } }))).toEqual(['InvalidEntry', 422]);
    expect(await refusal(make({ rank: { 'en-US': 'high' } }))).toEqual(['InvalidEntry', 422]);
    expect(await refusal(make({ title: 'no locale' }))).toEqual(['InvalidEntry', 422]);
    expect(await refusal(client.entry.create({ contentTypeId: 'none' }, { fields: {} }))).toEqual([
      'UnknownContentType',
      422,
    ]);
    const entry = await client.entry.create({ contentTypeId: 'post' }, { fields: {} });
    expect(await refusal(client.entry.publish({ entryId: entry.sys.id }, entry))).toEqual([
      'InvalidEntry',
      422,
    ]);
    expect(
      await refusal(
        client.contentType.createWithId({ contentTypeId: 'x' }, {
          name: 'X',
          fields: [{ id: 'a', type: 'Nonsense' }],
        } as never),
      ),
    ).toEqual(['ValidationFailed', 422]);
    expect(await refusal(manage('invalid').entry.getMany({}))).toEqual(['AccessTokenInvalid', 401]);
  });

  it('calls webhooks when something is published', async () => {
    withPosts();
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    let arrived: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (arrived = resolve));
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        response.end();
        arrived();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const client = manage();
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const hook = await client.webhook.create(
        {},
        {
          name: 'build',
          url,
          topics: ['Entry.publish'],
          headers: [{ key: 'X-Own', value: '1' }],
        },
      );
      const entry = await client.entry.get({ entryId: 'one' });
      await client.entry.publish({ entryId: 'one' }, await client.entry.update({ entryId: 'one' }, entry));
      await first;
      expect(got).toHaveLength(1);
      expect(got[0]?.headers).toMatchObject({
        'x-contentful-topic': 'ContentManagement.Entry.publish',
        'x-contentful-webhook-name': 'build',
        'x-own': '1',
      });
      expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({
        sys: { id: 'one', type: 'Entry' },
        fields: { rank: { 'en-US': 1 } },
      });
      await client.webhook.delete({ webhookDefinitionId: hook.sys.id });
      expect((await client.webhook.getMany({})).items).toEqual([]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('scenarios', () => {
  it.each([
    ['rate-limited', 'RateLimitExceeded', 429],
    ['outage', 'ServiceUnavailable', 503],
    ['wrong-token', 'AccessTokenInvalid', 401],
  ])('%s answers with %s', async (scenario, name, status) => {
    backlot.scenarios.activate(`contentful:${scenario}`);
    expect(await refusal(connect().getEntries())).toEqual([name, status]);
  });

  it('access-denied and version-conflict are for the management API', async () => {
    withPosts();
    const client = manage();
    const entry = await client.entry.get({ entryId: 'one' });
    backlot.scenarios.activate('contentful:version-conflict');
    expect(await refusal(client.entry.update({ entryId: 'one' }, entry))).toEqual(['VersionMismatch', 409]);
    backlot.scenarios.deactivate('contentful:version-conflict');
    backlot.scenarios.activate('contentful:access-denied');
    expect(await refusal(client.entry.get({ entryId: 'one' }))).toEqual(['AccessDenied', 403]);
    expect((await connect().getEntries()).total).toBe(3);
  });

  it('late delivers what was published after its time', async () => {
    withPosts();
    backlot.clock.freeze(true);
    await backlot.clock.advance(5000);
    backlot.scenarios.activate('contentful:late');
    const client = manage();
    const made = await client.entry.create(
      { contentTypeId: 'author' },
      { fields: { name: { 'en-US': 'Bob' } } },
    );
    await client.entry.publish({ entryId: made.sys.id }, made);
    expect((await connect().getEntries({ content_type: 'author' })).total).toBe(1);
    await backlot.clock.advance(3000);
    expect((await connect().getEntries({ content_type: 'author' })).total).toBe(2);
  });
});
