import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { type Algoliasearch, algoliasearch } from 'algoliasearch';

const backlot = useBacklot({ services: ['algolia'] });

function connect(key = backlot.env.ALGOLIA_API_KEY, hosts = 1): Algoliasearch {
  const url = backlot.env.ALGOLIA_URL.replace('http://', '');
  const one = { url, accept: 'readWrite' as const, protocol: 'http' as const };
  return algoliasearch(backlot.env.ALGOLIA_APP_ID, key, {
    hosts: Array.from({ length: hosts }, (_, at) => ({
      ...one,
      url: at === 0 ? url : url.replace('localhost', '127.0.0.1'),
    })),
    // Its own of a few seconds are over on a busy machine before the work is.
    timeouts: { connect: 120_000, read: 120_000, write: 120_000 },
  });
}

interface Tea {
  readonly objectID: string;
  readonly name: string;
  readonly kind: string;
  readonly price: number;
}

const TEAS = [
  { objectID: 'a', name: 'Green tea from Uji', kind: 'green', price: 12, tags: ['japan', 'fresh'] },
  { objectID: 'b', name: 'Black tea', kind: 'black', price: 5, tags: ['india'] },
  { objectID: 'c', name: 'Earl Grey', kind: 'black', price: 7, tags: ['england'] },
  { objectID: 'd', name: 'Genmaicha, a green tea with rice', kind: 'green', price: 9, tags: ['japan'] },
];
const indexName = 'teas';

async function withTeas(): Promise<Algoliasearch> {
  const client = connect();
  await client.setSettings({
    indexName,
    indexSettings: {
      searchableAttributes: ['name', 'tags'],
      attributesForFaceting: ['kind', 'searchable(tags)', 'price'],
      customRanking: ['asc(price)'],
    },
  });
  await client.saveObjects({ indexName, objects: TEAS, waitForTasks: true });
  return client;
}

const ids = ({ hits }: { hits: readonly { objectID: string }[] }): string[] =>
  hits.map(({ objectID }) => objectID);

describe('objects', () => {
  it('are saved, read, changed in part and removed', async () => {
    const client = await withTeas();
    expect(await client.getObject({ indexName, objectID: 'a' })).toEqual(TEAS[0]);
    expect(await client.getObject({ indexName, objectID: 'a', attributesToRetrieve: ['price'] })).toEqual({
      objectID: 'a',
      price: 12,
    });
    const { taskID } = await client.partialUpdateObject({
      indexName,
      objectID: 'b',
      attributesToUpdate: {
        price: { _operation: 'Increment', value: 2 },
        tags: { _operation: 'AddUnique', value: 'new' },
      },
    });
    expect(await client.waitForTask({ indexName, taskID: taskID ?? 0 })).toMatchObject({
      status: 'published',
    });
    await client.partialUpdateObjects({
      indexName,
      objects: [{ objectID: 'none', price: 1 }],
      createIfNotExists: false,
    });
    const { results } = await client.getObjects<Tea>({
      requests: [
        { indexName, objectID: 'b' },
        { indexName, objectID: 'none' },
      ],
    });
    expect(results).toMatchObject([{ price: 7, tags: ['india', 'new'] }, null]);
    await client.deleteObject({ indexName, objectID: 'a' });
    await client.deleteObjects({ indexName, objectIDs: ['b'] });
    await client.deleteBy({ indexName, deleteByParams: { filters: 'price > 8' } });
    expect(backlot.collection('algolia:objects').list()).toMatchObject([
      { id: 'teas/c', object: { price: 7 } },
    ]);
    const made = await client.saveObject({ indexName, body: { name: 'Mate' } });
    expect(await client.getObject({ indexName, objectID: made.objectID ?? '' })).toMatchObject({
      name: 'Mate',
    });
  });

  it('are browsed in pages', async () => {
    const client = await withTeas();
    const pages: number[] = [];
    await client.browseObjects({
      indexName,
      browseParams: { hitsPerPage: 3 },
      aggregator: ({ hits }) => {
        pages.push(hits.length);
      },
    });
    expect(pages).toEqual([3, 1]);
  });

  it('are refused in the form of Algolia', async () => {
    const client = await withTeas();
    const call = client.getObject({ indexName, objectID: 'none' });
    await expect(call).rejects.toMatchObject({
      name: 'ApiError',
      status: 404,
      message: 'ObjectID does not exist',
    });
    await expect(client.searchSingleIndex({ indexName: 'none' })).rejects.toMatchObject({
      status: 404,
      message: 'Index none does not exist',
    });
    const batch = (action: string, body: Record<string, unknown>): Promise<unknown> =>
      client.batch({ indexName, batchWriteParams: { requests: [{ action: action as never, body }] } });
    await expect(batch('nonsense', {})).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('addObject'),
    });
    await expect(batch('updateObject', {})).rejects.toMatchObject({ status: 400 });
    await expect(batch('addObject', { text: 'x'.repeat(200_000) })).rejects.toMatchObject({
      message: expect.stringContaining('too big'),
    });
  });
});

describe('searches', () => {
  const search = async (searchParams: object): Promise<string[]> =>
    ids(await (await withTeas()).searchSingleIndex({ indexName, searchParams }));

  it('find words, beginnings and words with typos, and mark them', async () => {
    const client = await withTeas();
    const found = await client.searchSingleIndex<Tea>({ indexName, searchParams: { query: 'green te' } });
    expect(found).toMatchObject({ nbHits: 2, page: 0, nbPages: 1, hitsPerPage: 20, query: 'green te' });
    expect(found.hits[0]).toMatchObject({
      objectID: 'a',
      _highlightResult: {
        name: {
          value: '<em>Green</em> <em>tea</em> from Uji',
          matchLevel: 'full',
          matchedWords: ['green', 'tea'],
        },
      },
    });
    expect(await search({ query: 'genmaihca' })).toEqual(['d']);
    expect(await search({ query: 'genmaihca', typoTolerance: false })).toEqual([]);
    expect(await search({ query: 'green india' })).toEqual([]);
    expect(await search({ query: 'green india', removeWordsIfNoResults: 'allOptional' })).toEqual([
      'a',
      'd',
      'b',
    ]);
    expect(await search({ query: '' })).toEqual(['b', 'c', 'd', 'a']);
  });

  it.each([
    [{ filters: 'kind:green AND price < 10' }, ['d']],
    [{ filters: 'price:5 TO 7' }, ['b', 'c']],
    [{ filters: 'NOT kind:green AND (tags:india OR tags:"england")' }, ['b', 'c']],
    [{ facetFilters: [['tags:japan', 'tags:india'], 'kind:-black'] }, ['d', 'a']],
    [{ numericFilters: ['price>=9'] }, ['d', 'a']],
    [{ filters: 'name:"Black tea"' }, []],
  ])('filter by %j', async (params, expected) => {
    expect(await search(params)).toEqual(expected);
  });

  it('count facets, and look for their values', async () => {
    const client = await withTeas();
    const found = await client.searchSingleIndex({
      indexName,
      searchParams: { facets: ['*'], hitsPerPage: 0 },
    });
    expect(found).toMatchObject({
      facets: { kind: { black: 2, green: 2 }, tags: { japan: 2, india: 1 } },
      facets_stats: { price: { min: 5, max: 12, sum: 33 } },
      hits: [],
    });
    const values = await client.searchForFacetValues({
      indexName,
      facetName: 'tags',
      searchForFacetValuesRequest: { facetQuery: 'jap' },
    });
    expect(values.facetHits).toEqual([{ value: 'japan', highlighted: '<em>jap</em>an', count: 2 }]);
    await expect(client.searchForFacetValues({ indexName, facetName: 'kind' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('give pages and attributes, many at once', async () => {
    const client = await withTeas();
    const { results } = await client.search<Tea>({
      requests: [
        {
          indexName,
          query: '',
          hitsPerPage: 3,
          page: 1,
          attributesToRetrieve: ['name'],
          attributesToHighlight: [],
        },
        { indexName, query: 'earl', attributesToSnippet: ['name:1'] },
      ],
    });
    expect(results).toMatchObject([
      { hits: [{ objectID: 'a', name: 'Green tea from Uji' }], nbPages: 2, page: 1 },
      { hits: [{ _snippetResult: { name: { value: '<em>Earl</em>…' } } }] },
    ]);
    expect((results[0] as { hits: object[] }).hits[0]).toEqual({ objectID: 'a', name: 'Green tea from Uji' });
    await expect(
      client.searchSingleIndex({ indexName, searchParams: { hitsPerPage: 5000 } }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('hitsPerPage'),
    });
    await expect(
      client.searchSingleIndex({ indexName, searchParams: { filters: '(kind:a' } }),
    ).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('indexes', () => {
  it('have settings, and are listed, copied, moved, cleared and deleted', async () => {
    const client = await withTeas();
    expect(await client.getSettings({ indexName })).toMatchObject({
      customRanking: ['asc(price)'],
      hitsPerPage: 20,
    });
    await client.operationIndex({
      indexName,
      operationIndexParams: { operation: 'copy', destination: 'copy' },
    });
    const { items } = await client.listIndices();
    expect(items).toMatchObject([
      { name: 'copy', entries: 4 },
      { name: 'teas', entries: 4 },
    ]);
    await client.operationIndex({
      indexName,
      operationIndexParams: { operation: 'move', destination: 'moved' },
    });
    expect(await client.indexExists({ indexName })).toBe(false);
    await client.clearObjects({ indexName: 'copy' });
    expect((await client.searchSingleIndex({ indexName: 'copy' })).nbHits).toBe(0);
    await client.deleteIndex({ indexName: 'copy' });
    await client.replaceAllObjects({ indexName: 'moved', objects: [{ objectID: 'z', name: 'only' }] });
    expect(ids(await client.searchSingleIndex({ indexName: 'moved' }))).toEqual(['z']);
    await expect(
      client.setSettings({ indexName: 'moved', indexSettings: { searchableAttributes: 'name' as never } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('are copied at once, and what is deleted by filters is looked at right before', async () => {
    const client = await withTeas();
    const count = 4000;
    backlot.collection('algolia:objects').setAll([
      { id: 'copy/old', object: { kind: 'old' } },
      ...Array.from({ length: count }, (_, id) => ({
        id: `teas/${id}`,
        object: { kind: 'black', rank: id },
      })),
    ]);
    const last = String(count - 1);
    const [, , ...seen] = await Promise.all([
      client.operationIndex({
        indexName,
        operationIndexParams: { operation: 'copy', destination: 'copy' },
      }),
      client.saveObject({ indexName: 'copy', body: { objectID: 'old', kind: 'old' } }),
      ...Array.from(
        { length: 2 },
        async () => (await client.searchSingleIndex({ indexName: 'copy' })).nbHits,
      ),
    ]);
    // All, none or one more of them, never a part.
    for (const hits of seen) expect([1, count, count + 1]).toContain(hits);
    await Promise.all([
      client.deleteBy({ indexName, deleteByParams: { filters: 'kind:black' } }),
      client.partialUpdateObject({ indexName, objectID: last, attributesToUpdate: { kind: 'green' } }),
    ]);
    expect((await client.getObject({ indexName, objectID: last })) as unknown).toMatchObject({
      kind: 'green',
    });
    expect((await client.searchSingleIndex({ indexName })).nbHits).toBe(1);
    // Also those that searches show one of.
    await client.setSettings({
      indexName: 'copy',
      indexSettings: { attributesForFaceting: ['kind'], attributeForDistinct: 'kind', distinct: 1 },
    });
    await client.deleteBy({ indexName: 'copy', deleteByParams: { filters: 'kind:black' } });
    expect(backlot.collection('algolia:objects').size).toBeLessThan(3);
  });

  it('have rules and synonyms', async () => {
    const client = await withTeas();
    await client.saveSynonym({
      indexName,
      objectID: 's',
      synonymHit: { objectID: 's', type: 'synonym', synonyms: ['chai', 'tea'] },
    });
    expect(
      (await client.searchSingleIndex({ indexName, searchParams: { query: 'black chai' } })).nbHits,
    ).toBe(1);
    await client.saveRules({
      indexName,
      rules: [
        {
          objectID: 'r',
          conditions: [{ pattern: 'tea', anchoring: 'contains' }],
          consequence: {
            promote: [{ objectID: 'c', position: 0 }],
            hide: [{ objectID: 'b' }],
            userData: { banner: 1 },
          },
        },
      ],
    });
    const found = await client.searchSingleIndex({ indexName, searchParams: { query: 'tea' } });
    expect(ids(found)).toEqual(['c', 'a', 'd']);
    expect(found.userData).toEqual([{ banner: 1 }]);
    expect(await client.getRule({ indexName, objectID: 'r' })).toMatchObject({ objectID: 'r' });
    expect((await client.searchRules({ indexName })).nbHits).toBe(1);
    await client.deleteRule({ indexName, objectID: 'r' });
    await expect(client.getRule({ indexName, objectID: 'r' })).rejects.toMatchObject({ status: 404 });
    await client.clearSynonyms({ indexName });
    expect((await client.searchSynonyms({ indexName })).nbHits).toBe(0);
  });
});

describe('keys and scenarios', () => {
  it('a key does what it is allowed', async () => {
    const client = await withTeas();
    await expect(connect('invalid').searchSingleIndex({ indexName })).rejects.toMatchObject({
      status: 403,
      message: 'Invalid Application-ID or API key',
    });
    const { key } = await client.addApiKey({ acl: ['search'], description: 'for the page' });
    const narrow = connect(key);
    expect((await narrow.searchSingleIndex({ indexName })).nbHits).toBe(4);
    await expect(narrow.deleteObject({ indexName, objectID: 'a' })).rejects.toMatchObject({ status: 403 });
    expect(await client.getApiKey({ key })).toMatchObject({ acl: ['search'], description: 'for the page' });
    await client.deleteApiKey({ key });
    await expect(client.getApiKey({ key })).rejects.toMatchObject({ status: 404 });
    await expect(client.addApiKey({ acl: ['nonsense' as never] })).rejects.toMatchObject({ status: 400 });
  });

  it('an unknown path names those that are known', async () => {
    await expect(connect().customGet({ path: '1/nonsense' })).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(/nonsense.*knows .*\/1\/indexes/),
    });
  });

  it.each([
    ['rate-limited', 429],
    ['wrong-key', 403],
    ['quota', 403],
  ])('%s answers with %d', async (scenario, status) => {
    const client = await withTeas();
    backlot.scenarios.activate(`algolia:${scenario}`);
    const call = client.saveObjects({ indexName, objects: [{ objectID: 'x' }] });
    await expect(call).rejects.toMatchObject({ name: 'ApiError', status });
  });

  it('outage makes the SDK try all hosts, and outage-once the next one', async () => {
    const client = await withTeas();
    backlot.scenarios.activate('algolia:outage');
    await expect(client.searchSingleIndex({ indexName })).rejects.toMatchObject({ name: 'RetryError' });
    backlot.scenarios.deactivate('algolia:outage');
    backlot.scenarios.activate('algolia:outage-once');
    expect((await connect(undefined, 2).searchSingleIndex({ indexName })).nbHits).toBe(4);
  });

  it('late publishes what was written after its time', async () => {
    const client = await withTeas();
    backlot.clock.freeze(true);
    await backlot.clock.advance(5000);
    backlot.scenarios.activate('algolia:late');
    const { taskID } = await client.saveObject({ indexName, body: { objectID: 'e', name: 'new' } });
    expect((await client.searchSingleIndex({ indexName })).nbHits).toBe(4);
    expect(await client.getTask({ indexName, taskID })).toMatchObject({ status: 'notPublished' });
    await backlot.clock.advance(2000);
    expect(await client.waitForTask({ indexName, taskID })).toMatchObject({ status: 'published' });
    expect((await client.searchSingleIndex({ indexName, searchParams: { query: 'new' } })).nbHits).toBe(1);
  });
});
