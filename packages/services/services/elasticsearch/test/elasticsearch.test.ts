import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, errors } from '@elastic/elasticsearch';
import { useBacklot } from '@backlot/testing';
import { Client as OpenSearch } from '@opensearch-project/opensearch';

const backlot = useBacklot({ services: ['elasticsearch'] });

const open: { close: () => Promise<void> }[] = [];

function connect(options: object = {}): Client {
  const { ELASTICSEARCH_URL: node, ELASTICSEARCH_API_KEY: apiKey } = backlot.env;
  const client = new Client({ node, auth: { apiKey }, maxRetries: 0, ...options });
  open.push(client);
  return client;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

interface Tea {
  readonly name: string;
  readonly kind: string;
  readonly price: number;
}

const TEAS = [
  {
    id: 'a',
    name: 'Green tea from Uji',
    kind: 'green',
    price: 12,
    picked: '2026-04-20',
    origin: { land: 'Japan' },
  },
  { id: 'b', name: 'Black tea', kind: 'black', price: 5, picked: '2026-05-02', origin: { land: 'India' } },
  { id: 'c', name: 'Earl Grey', kind: 'black', price: 7, picked: '2026-05-30', tags: ['old'] },
  {
    id: 'd',
    name: 'Genmaicha, green tea with rice',
    kind: 'green',
    price: 9,
    picked: '2026-07-01T10:00:00Z',
  },
];
const index = 'teas';

async function withTeas(): Promise<Client> {
  const client = connect();
  await client.indices.create({
    index,
    mappings: {
      properties: { name: { type: 'text', fields: { raw: { type: 'keyword' } } }, kind: { type: 'keyword' } },
    },
  });
  const operations = TEAS.flatMap(({ id, ...tea }) => [{ index: { _id: id } }, tea]);
  const { errors: failed } = await client.bulk({ index, operations, refresh: true });
  expect(failed).toBe(false);
  return client;
}

const idsOf = ({ hits }: { hits: { hits: readonly { _id?: string }[] } }): unknown[] =>
  hits.hits.map(({ _id }) => _id);

const refusal = (statusCode: number, type: string): object => ({
  name: 'ResponseError',
  statusCode,
  meta: { body: { error: { type } } },
});

describe('documents', () => {
  it('are indexed, read, changed and deleted, with versions', async () => {
    const client = connect();
    const made = await client.index({ index, id: '1', document: { name: 'tea', price: 5 } });
    expect(made).toMatchObject({ result: 'created', _version: 1, _seq_no: 0, _primary_term: 1 });
    expect(await client.update({ index, id: '1', doc: { price: 6 } })).toMatchObject({
      result: 'updated',
      _version: 2,
    });
    expect(await client.update({ index, id: '1', doc: { price: 6 } })).toMatchObject({ result: 'noop' });
    expect(await client.get({ index, id: '1' })).toMatchObject({
      found: true,
      _version: 2,
      _source: { name: 'tea', price: 6 },
    });
    expect(await client.getSource({ index, id: '1' })).toEqual({ name: 'tea', price: 6 });
    expect(await client.exists({ index, id: '1' })).toBe(true);
    expect(await client.update({ index, id: '2', doc: { a: 1 }, upsert: { b: 2 } })).toMatchObject({
      result: 'created',
    });
    expect(await client.update({ index, id: '3', doc: { a: 1 }, doc_as_upsert: true })).toMatchObject({
      result: 'created',
    });
    const { docs } = await client.mget({ index, ids: ['2', 'none'] });
    expect(docs).toMatchObject([{ found: true, _source: { b: 2 } }, { found: false }]);
    expect(await client.delete({ index, id: '1' })).toMatchObject({ result: 'deleted', _version: 3 });
    const gone = client.get({ index, id: '1' });
    await expect(gone).rejects.toBeInstanceOf(errors.ResponseError);
    await expect(gone).rejects.toMatchObject({ statusCode: 404, meta: { body: { found: false } } });
    const { _id: id } = await client.index({ index, document: { own: true } });
    expect(backlot.collection('elasticsearch:documents').get(`teas/${id}`)).toMatchObject({
      source: { own: true },
    });
  });

  it('are kept from changes that others have made', async () => {
    const client = connect();
    const { _seq_no: seq, _primary_term: term } = await client.index({ index, id: '1', document: { a: 1 } });
    await client.index({
      index,
      id: '1',
      document: { a: 2 },
      if_seq_no: seq ?? 0,
      if_primary_term: term ?? 1,
    });
    const late = client.index({
      index,
      id: '1',
      document: { a: 3 },
      if_seq_no: seq ?? 0,
      if_primary_term: term ?? 1,
    });
    await expect(late).rejects.toMatchObject(refusal(409, 'version_conflict_engine_exception'));
    await expect(client.create({ index, id: '1', document: {} })).rejects.toMatchObject(
      refusal(409, 'version_conflict_engine_exception'),
    );
    await client.index({ index, id: '2', document: {}, version: 7, version_type: 'external' });
    await expect(
      client.index({ index, id: '2', document: {}, version: 7, version_type: 'external' }),
    ).rejects.toMatchObject({ statusCode: 409 });
  });

  it('are refused when they do not fit the mapping', async () => {
    const client = connect();
    await client.indices.create({
      index,
      mappings: { dynamic: 'strict', properties: { price: { type: 'integer' }, at: { type: 'date' } } },
    });
    await expect(client.index({ index, document: { price: 'cheap' } })).rejects.toMatchObject(
      refusal(400, 'document_parsing_exception'),
    );
    await expect(client.index({ index, document: { at: 'someday' } })).rejects.toMatchObject(
      refusal(400, 'document_parsing_exception'),
    );
    await expect(client.index({ index, document: { name: 'x' } })).rejects.toMatchObject(
      refusal(400, 'strict_dynamic_mapping_exception'),
    );
    await expect(client.update({ index, id: 'none', doc: { price: 1 } })).rejects.toMatchObject(
      refusal(404, 'document_missing_exception'),
    );
    await expect(
      client.update({ index, id: 'none', script: { source: 'ctx._source.price++' } }),
    ).rejects.toMatchObject(refusal(400, 'illegal_argument_exception'));
  });

  it('are written in bulk, each with an answer of its own', async () => {
    const client = await withTeas();
    const answer = await client.bulk({
      index,
      operations: [
        { create: { _id: 'a' } },
        { name: 'again' },
        { update: { _id: 'b' } },
        { doc: { price: 6 } },
        { delete: { _id: 'none' } },
        { index: {} },
        { price: 'cheap' },
      ],
    });
    expect(answer.errors).toBe(true);
    expect(
      answer.items
        .map((item) => Object.values(item).map(({ status, error }) => [status, error?.type]))
        .flat(),
    ).toEqual([
      [409, 'version_conflict_engine_exception'],
      [200, undefined],
      [404, undefined],
      [400, 'document_parsing_exception'],
    ]);
    const result = await client.helpers.bulk({
      datasource: [{ n: 1 }, { n: 2 }],
      onDocument: () => ({ index: { _index: 'numbers' } }),
      refreshOnCompletion: true,
    });
    expect(result).toMatchObject({ total: 2, successful: 2, failed: 0 });
    await expect(
      client.transport.request({ method: 'POST', path: '/_bulk', bulkBody: '{"nonsense":{}}\n' }),
    ).rejects.toMatchObject({ statusCode: 400 });
  });

  it('are deleted and copied by a query', async () => {
    const client = await withTeas();
    expect(
      await client.reindex({
        source: { index, query: { term: { kind: 'green' } } },
        dest: { index: 'greens' },
      }),
    ).toMatchObject({ created: 2 });
    expect(await client.deleteByQuery({ index, query: { range: { price: { lt: 8 } } } })).toMatchObject({
      deleted: 2,
    });
    expect((await client.count({ index: 'teas,greens' })).count).toBe(4);
  });
});

describe('queries', () => {
  it.each([
    ['match', { match: { name: 'green rice' } }, ['d', 'a']],
    ['match with and', { match: { name: { query: 'green rice', operator: 'and' } } }, ['d']],
    ['match with typos', { match: { name: { query: 'blakc', fuzziness: 'AUTO' } } }, ['b']],
    ['match_phrase', { match_phrase: { name: 'green tea with' } }, ['d']],
    ['match_phrase_prefix', { match_phrase_prefix: { name: 'tea fr' } }, ['a']],
    ['multi_match', { multi_match: { query: 'japan earl', fields: ['name^2', 'origin.*'] } }, ['c', 'a']],
    ['term', { term: { kind: 'black' } }, ['b', 'c']],
    ['term of a subfield', { term: { 'name.raw': 'Earl Grey' } }, ['c']],
    ['term of a dynamic field', { term: { 'origin.land.keyword': { value: 'India' } } }, ['b']],
    ['terms', { terms: { price: [5, 9] } }, ['b', 'd']],
    ['range', { range: { price: { gte: 7, lt: 12 } } }, ['c', 'd']],
    [
      'range of dates in a format',
      { range: { picked: { gte: '01/05/2026', lte: '31/05/2026', format: 'dd/MM/yyyy||epoch_millis' } } },
      ['b', 'c'],
    ],
    ['range of dates', { range: { picked: { gte: '2026-05-01', lte: '2026-05-01||/M' } } }, ['b', 'c']],
    ['exists', { exists: { field: 'origin.land' } }, ['a', 'b']],
    ['ids', { ids: { values: ['a', 'c'] } }, ['a', 'c']],
    ['prefix', { prefix: { kind: 'gr' } }, ['a', 'd']],
    ['wildcard', { wildcard: { 'name.raw': { value: '*tea*' } } }, ['a', 'b', 'd']],
    ['fuzzy', { fuzzy: { kind: 'blakk' } }, ['b', 'c']],
    [
      'bool',
      {
        bool: {
          must: { match: { name: 'tea' } },
          filter: [{ range: { price: { gt: 5 } } }],
          must_not: [{ term: { kind: 'black' } }],
          should: [{ match: { name: 'rice' } }],
        },
      },
      ['d', 'a'],
    ],
    ['query_string', { query_string: { query: 'name:green AND price:[5 TO 10]' } }, ['d']],
    [
      'query_string with groups',
      { query_string: { query: '(earl OR "black tea") AND NOT price:>6' } },
      ['b'],
    ],
    [
      'simple_query_string',
      { simple_query_string: { query: 'gre* -uji', fields: ['name'], default_operator: 'and' } },
      ['c', 'd'],
    ],
    ['constant_score', { constant_score: { filter: { term: { tags: 'old' } } } }, ['c']],
    ['match_all', { match_all: {} }, ['a', 'b', 'c', 'd']],
  ])('%s', async (_name, query, expected) => {
    const client = await withTeas();
    const { hits } = await client.search({ index, query: query as object });
    expect(hits.hits.map(({ _id }) => _id)).toEqual(expected);
    expect(hits.total).toEqual({ value: expected.length, relation: 'eq' });
  });

  it('nested looks at each object by itself', async () => {
    const client = connect();
    await client.indices.create({ index: 'boxes', mappings: { properties: { items: { type: 'nested' } } } });
    await client.index({
      index: 'boxes',
      id: '1',
      document: {
        items: [
          { name: 'mug', left: 0 },
          { name: 'pot', left: 5 },
        ],
      },
    });
    const ask = async (left: number): Promise<unknown[]> =>
      idsOf(
        await client.search({
          index: 'boxes',
          query: {
            nested: {
              path: 'items',
              query: {
                bool: { must: [{ match: { 'items.name': 'mug' } }, { term: { 'items.left': left } }] },
              },
            },
          },
        }),
      );
    expect([await ask(0), await ask(5)]).toEqual([['1'], []]);
  });

  it.each([
    [{ nonsense: {} }, 'parsing_exception'],
    [{ term: { a: 1, b: 2 } }, 'parsing_exception'],
    [{ bool: { musst: [] } }, 'parsing_exception'],
    [{ range: { picked: { gte: 'someday' } } }, 'illegal_argument_exception'],
    [{ range: { picked: { gte: '2026', format: 'QQQ' } } }, 'illegal_argument_exception'],
    [{ range: { picked: { gte: '2026-05-01', format: 'dd/MM/yyyy' } } }, 'illegal_argument_exception'],
    [{ range: { picked: { gte: '2026-05-01', time_zone: 'Europe/Bern' } } }, 'illegal_argument_exception'],
    [{ query_string: { query: '(a' } }, 'parsing_exception'],
  ])('%j is refused', async (query, type) => {
    const client = await withTeas();
    await expect(client.search({ index, query: query as object })).rejects.toMatchObject(refusal(400, type));
  });
});

describe('searches', () => {
  it('know zones of ranges, and check a time-out', async () => {
    const client = await withTeas();
    const ask = async (range: object, more: object = {}): Promise<unknown[]> =>
      idsOf(await client.search({ index, query: { range: { picked: range } }, ...more }));
    expect(await ask({ gte: '2026-07-01T11:30:00', time_zone: '+02:00' })).toEqual(['d']);
    expect(await ask({ gte: '2026-07-01T11:30:00' }, { timeout: '1s' })).toEqual([]);
    await expect(ask({ gte: '2026' }, { timeout: 'soon' })).rejects.toMatchObject(
      refusal(400, 'illegal_argument_exception'),
    );
  });

  it('sort many, and leave equal ones in their order', async () => {
    const client = connect();
    const operations = Array.from({ length: 1300 }, (_, at) => [
      { index: { _index: index, _id: String(at) } },
      { n: at % 100 },
    ]).flat();
    await client.bulk({ operations });
    const found = await client.search({ index, sort: [{ n: 'desc' }], size: 1300 });
    const expected = Array.from({ length: 1300 }, (_, at) => at).sort((a, b) => (b % 100) - (a % 100));
    expect(idsOf(found)).toEqual(expected.map(String));
  });

  it('sort, page and show what is wanted', async () => {
    const client = await withTeas();
    const page = await client.search<Tea>({
      index,
      sort: [{ kind: 'asc' }, { price: 'desc' }],
      from: 1,
      size: 2,
      _source: ['name', 'origin.*'],
    });
    expect(page.hits.hits).toMatchObject([
      {
        _id: 'b',
        _score: null,
        _source: { name: 'Black tea', origin: { land: 'India' } },
        sort: ['black', 5],
      },
      { _id: 'a', sort: ['green', 12] },
    ]);
    expect(page.hits.hits[0]?._source).not.toHaveProperty('price');
    const after = await client.search({
      index,
      sort: [{ kind: 'asc' }, { price: 'desc' }],
      search_after: ['black', 5],
    });
    expect(idsOf(after)).toEqual(['a', 'd']);
    await expect(client.search({ index, size: 20_000 })).rejects.toMatchObject(
      refusal(400, 'illegal_argument_exception'),
    );
    await expect(client.search({ index, sort: 'name' })).rejects.toMatchObject(
      refusal(400, 'illegal_argument_exception'),
    );
    const lines = await client.msearch({
      searches: [{ index }, { query: { term: { kind: 'green' } } }, { index: 'none' }, {}],
    });
    expect(lines.responses).toMatchObject([{ status: 200, hits: { total: { value: 2 } } }, { status: 404 }]);
  });

  it('mark the words that they have found', async () => {
    const client = await withTeas();
    const { hits } = await client.search({
      index,
      query: { match: { name: 'green rice' } },
      highlight: { fields: { name: {} } },
    });
    expect(hits.hits[0]?.highlight).toEqual({ name: ['Genmaicha, <em>green</em> tea with <em>rice</em>'] });
  });

  it('scroll through everything', async () => {
    const client = await withTeas();
    const seen: unknown[] = [];
    for await (const tea of client.helpers.scrollDocuments<Tea>({ index, size: 3, sort: 'price' }))
      seen.push(tea.price);
    expect(seen).toEqual([5, 7, 9, 12]);
    await expect(client.scroll({ scroll_id: 'none' })).rejects.toMatchObject(
      refusal(404, 'search_context_missing_exception'),
    );
  });

  it('of a point in time do not see what comes later', async () => {
    const client = await withTeas();
    const { id } = await client.openPointInTime({ index, keep_alive: '1m' });
    await client.delete({ index, id: 'a', refresh: true });
    const first = await client.search({ pit: { id, keep_alive: '1m' }, size: 3, sort: ['price'] });
    const next = await client.search({
      pit: { id },
      size: 3,
      sort: ['price'],
      search_after: first.hits.hits[2]?.sort ?? [],
    });
    expect([...idsOf(first), ...idsOf(next)]).toEqual(['b', 'c', 'd', 'a']);
    expect(await client.closePointInTime({ id })).toMatchObject({ succeeded: true });
    await expect(client.search({ pit: { id } })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('count and measure', async () => {
    const client = await withTeas();
    const { aggregations, hits } = await client.search({
      index,
      size: 0,
      aggs: {
        kinds: {
          terms: { field: 'kind', order: { dear: 'desc' } },
          aggs: { dear: { max: { field: 'price' } } },
        },
        prices: { stats: { field: 'price' } },
        months: { date_histogram: { field: 'picked', calendar_interval: 'month', format: 'yyyy-MM' } },
        steps: { histogram: { field: 'price', interval: 5 } },
        lands: { cardinality: { field: 'origin.land.keyword' } },
        parts: {
          filters: { filters: { cheap: { range: { price: { lt: 8 } } }, old: { term: { tags: 'old' } } } },
        },
        none: { missing: { field: 'origin.land.keyword' } },
        ranges: { range: { field: 'price', ranges: [{ to: 7 }, { from: 7 }] } },
        last: { max: { field: 'picked' } },
      },
    });
    expect(hits.hits).toEqual([]);
    expect(aggregations).toMatchObject({
      kinds: {
        buckets: [
          { key: 'green', doc_count: 2, dear: { value: 12 } },
          { key: 'black', dear: { value: 7 } },
        ],
      },
      prices: { count: 4, min: 5, max: 12, avg: 8.25, sum: 33 },
      months: {
        buckets: [
          { key_as_string: '2026-04', doc_count: 1 },
          { doc_count: 2 },
          { key_as_string: '2026-06', doc_count: 0 },
          { doc_count: 1 },
        ],
      },
      steps: {
        buckets: [
          { key: 5, doc_count: 3 },
          { key: 10, doc_count: 1 },
        ],
      },
      lands: { value: 2 },
      parts: { buckets: { cheap: { doc_count: 2 }, old: { doc_count: 1 } } },
      none: { doc_count: 2 },
      ranges: {
        buckets: [
          { key: '*-7.0', doc_count: 1 },
          { key: '7.0-*', doc_count: 3 },
        ],
      },
      last: { value_as_string: '2026-07-01T10:00:00.000Z' },
    });
    await expect(client.search({ index, aggs: { x: { terms: { field: 'name' } } } })).rejects.toMatchObject(
      refusal(400, 'illegal_argument_exception'),
    );
    await expect(client.search({ index, aggs: { x: { nonsense: {} } as never } })).rejects.toMatchObject(
      refusal(400, 'parsing_exception'),
    );
  });
});

describe('indices', () => {
  it('have mappings, settings, aliases and templates', async () => {
    const client = await withTeas();
    const mapping = await client.indices.getMapping({ index });
    expect(mapping[index]?.mappings.properties).toMatchObject({
      kind: { type: 'keyword' },
      price: { type: 'long' },
      picked: { type: 'date' },
      origin: { properties: { land: { type: 'text', fields: { keyword: { type: 'keyword' } } } } },
    });
    await expect(
      client.indices.putMapping({ index, properties: { price: { type: 'text' } } }),
    ).rejects.toMatchObject(refusal(400, 'illegal_argument_exception'));
    await client.indices.putSettings({ index, settings: { number_of_replicas: 2 } });
    expect((await client.indices.getSettings({ index }))[index]?.settings?.index).toMatchObject({
      number_of_replicas: '2',
    });
    await client.indices.putAlias({ index, name: 'drinks' });
    expect((await client.search({ index: 'drinks' })).hits.total).toMatchObject({ value: 4 });
    await client.index({ index: 'drinks', id: 'e', document: { name: 'Mate' } });
    expect(await client.get({ index: 'drinks', id: 'e' })).toMatchObject({ _index: 'teas' });
    await client.indices.create({ index: 'next' });
    await client.indices.updateAliases({
      actions: [{ remove: { index, alias: 'drinks' } }, { add: { index: 'next', alias: 'drinks' } }],
    });
    expect(Object.keys(await client.indices.getAlias({ name: 'drinks' }))).toEqual(['next']);
    await client.indices.putIndexTemplate({
      name: 'logs',
      index_patterns: ['logs-*'],
      template: { mappings: { properties: { level: { type: 'keyword' } } }, aliases: { logs: {} } },
    });
    await client.index({ index: 'logs-1', document: { level: 'info' } });
    expect((await client.indices.get({ index: 'logs' }))['logs-1']).toMatchObject({
      mappings: { properties: { level: { type: 'keyword' } } },
    });
    await client.indices.delete({ index: 'next' });
    expect(await client.indices.exists({ index: 'next' })).toBe(false);
  });

  it('are refused in the form of Elasticsearch', async () => {
    const client = await withTeas();
    await expect(client.indices.create({ index })).rejects.toMatchObject(
      refusal(400, 'resource_already_exists_exception'),
    );
    await expect(client.indices.create({ index: 'Upper' })).rejects.toMatchObject(
      refusal(400, 'invalid_index_name_exception'),
    );
    await expect(client.search({ index: 'none' })).rejects.toMatchObject(
      refusal(404, 'index_not_found_exception'),
    );
    await expect(
      client.indices.create({ index: 'x', mappings: { properties: { a: { type: 'nonsense' as never } } } }),
    ).rejects.toMatchObject(refusal(400, 'mapper_parsing_exception'));
    await expect(client.indices.delete({ index: '*' })).rejects.toMatchObject({ statusCode: 400 });
  });

  it('are told of with the cluster', async () => {
    const client = await withTeas();
    expect(await client.info()).toMatchObject({
      version: { number: '9.1.0' },
      tagline: 'You Know, for Search',
    });
    expect(await client.ping()).toBe(true);
    expect(await client.cluster.health()).toMatchObject({ status: 'green' });
    expect(await client.cat.indices({ format: 'json' })).toMatchObject([
      { index, 'docs.count': '4', health: 'green' },
    ]);
    expect(await client.indices.analyze({ text: 'Green Tea' })).toMatchObject({
      tokens: [{ token: 'green' }, { token: 'tea', position: 1 }],
    });
  });
});

describe('errors and scenarios', () => {
  it('what is not known says what is, and a wrong key is refused', async () => {
    const call = connect().transport.request({ method: 'GET', path: '/_nonsense' });
    await expect(call).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/no handler found.*\/\{index\}\/_search/),
    });
    const apiKey = Buffer.from('invalid:key').toString('base64');
    await expect(connect({ auth: { apiKey } }).info()).rejects.toMatchObject(
      refusal(401, 'security_exception'),
    );
  });

  it.each([
    ['rate-limited', 429, 'es_rejected_execution_exception'],
    ['circuit-breaker', 429, 'circuit_breaking_exception'],
    ['outage', 503, 'master_not_discovered_exception'],
    ['wrong-credentials', 401, 'security_exception'],
    ['read-only', 403, 'cluster_block_exception'],
  ])('%s answers with %d %s', async (scenario, status, type) => {
    backlot.scenarios.activate(`elasticsearch:${scenario}`);
    await expect(connect().index({ index, document: {} })).rejects.toMatchObject(refusal(status, type));
  });

  it('bulk-rejected-once makes the helper send the documents again', async () => {
    backlot.scenarios.activate('elasticsearch:bulk-rejected-once');
    const result = await connect().helpers.bulk({
      datasource: [{ n: 1 }],
      onDocument: () => ({ index: { _index: 'numbers' } }),
      wait: 1,
      retries: 2,
    });
    expect(result).toMatchObject({ successful: 1, failed: 0 });
    expect(
      backlot.host.journal.list({ limit: 10 }).filter(({ path }) => path.endsWith('_bulk')),
    ).toHaveLength(2);
  });

  it('a slow search ends at its timeout, and says so', async () => {
    const client = await withTeas();
    backlot.scenarios.activate('elasticsearch:slow');
    expect(await client.search({ index, timeout: '5ms' })).toMatchObject({ timed_out: true });
    await expect(client.search({ index, timeout: 'soon' })).rejects.toMatchObject(
      refusal(400, 'illegal_argument_exception'),
    );
    backlot.scenarios.deactivate('elasticsearch:slow');
    expect(await client.search({ index, timeout: '5ms' })).toMatchObject({ timed_out: false });
  });

  it('others are served while aggregations count', async () => {
    const { aggregate } = (await import(new URL('../aggregations.mjs', import.meta.url).href)) as {
      aggregate(wanted: object, found: readonly object[], call: object): Promise<object>;
    };
    const found = Array.from({ length: 4000 }, (_, n) => ({
      doc: { source: { n, group: `g${n % 2}` }, mappings: {} },
      score: 1,
    }));
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const aggs = { sum: { sum: { field: 'n' } } };
    const counted = await aggregate({ groups: { terms: { field: 'group' }, aggs } }, found, {
      fieldFor: () => undefined,
    });
    isOver = true;
    expect(counted).toMatchObject({
      groups: { buckets: [{ key: 'g0', doc_count: 2000, sum: { value: 3_998_000 } }, { key: 'g1' }] },
    });
    // 500 at a time: of all for the groups, and of each group for its sum.
    expect(turns).toBeGreaterThanOrEqual(16);
  });

  it('timed-out searches say so', async () => {
    const client = await withTeas();
    backlot.scenarios.activate('elasticsearch:timed-out');
    expect(await client.search({ index })).toMatchObject({ timed_out: true });
  });

  it('eventual shows what was written after a refresh, or a second', async () => {
    const client = await withTeas();
    backlot.clock.freeze(true);
    await backlot.clock.advance(5000);
    backlot.scenarios.activate('elasticsearch:eventual');
    const ids = async (): Promise<unknown> => idsOf(await client.search({ index, sort: 'price' }));
    await client.index({ index, id: 'e', document: { price: 1 } });
    await client.delete({ index, id: 'a' });
    await client.update({ index, id: 'b', doc: { price: 99 } });
    expect(await ids()).toEqual(['b', 'c', 'd', 'a']);
    expect(await client.get({ index, id: 'e' })).toMatchObject({ found: true });
    await client.indices.refresh({ index });
    expect(await ids()).toEqual(['e', 'c', 'd', 'b']);
    await client.index({ index, id: 'f', document: { price: 2 } });
    expect(await ids()).toEqual(['e', 'c', 'd', 'b']);
    await backlot.clock.advance(1500);
    expect(await ids()).toEqual(['e', 'f', 'c', 'd', 'b']);
  });
});

describe('other clients', () => {
  it('that of OpenSearch indexes, searches and knows errors', async () => {
    const client = new OpenSearch({ node: backlot.env.ELASTICSEARCH_URL, maxRetries: 0 });
    open.push(client);
    await client.bulk({ body: [{ index: { _index: 'numbers', _id: '1' } }, { n: 1 }], refresh: true });
    const { body } = await client.search({ index: 'numbers', body: { query: { term: { n: 1 } } } });
    expect(body.hits.hits).toMatchObject([{ _id: '1', _source: { n: 1 } }]);
    await expect(client.get({ index: 'none', id: '1' })).rejects.toMatchObject({
      name: 'ResponseError',
      statusCode: 404,
    });
  });
});
