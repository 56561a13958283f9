import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useBacklot } from '@backlot/testing';
import { connectTo } from './support.js';

const backlot = useBacklot({ services: ['supabase'] });

type Query = ReturnType<ReturnType<SupabaseClient['from']>['select']>;

let client: SupabaseClient;

beforeEach(() => {
  client = connectTo(backlot.env.SUPABASE_URL, backlot.env.SUPABASE_ANON_KEY);
  const tables = backlot.collection('supabase:tables');
  tables.create({ name: 'authors', columns: ['id', 'name', 'born', 'info'], unique: [['name']] });
  tables.create({
    name: 'books',
    foreign_keys: [{ column: 'author_id', table: 'authors' }],
    required: ['title'],
    defaults: { in_print: true },
  });
  tables.create({ name: 'tags' });
  tables.create({
    name: 'books_tags',
    foreign_keys: [
      { column: 'book_id', table: 'books' },
      { column: 'tag_id', table: 'tags' },
    ],
  });
  backlot.collection('supabase:authors').setAll([
    { id: 1, name: 'Ursula', born: 1929, info: { city: 'Portland', prizes: ['Hugo', 'Nebula'] } },
    { id: 2, name: 'Iain', born: 1954, info: { city: 'Dunfermline', prizes: [] } },
    { id: 3, name: 'Octavia', born: null, info: null },
  ]);
  backlot.collection('supabase:books').setAll([
    { id: 1, title: 'The Dispossessed', year: 1974, author_id: 1 },
    { id: 2, title: 'The Lathe of Heaven', year: 1971, author_id: 1 },
    { id: 3, title: 'Excession', year: 1996, author_id: 2 },
  ]);
  backlot.collection('supabase:tags').setAll([
    { id: 1, tag: 'utopia' },
    { id: 2, tag: 'ships' },
  ]);
  backlot.collection('supabase:books_tags').setAll([
    { id: 1, book_id: 1, tag_id: 1 },
    { id: 2, book_id: 3, tag_id: 2 },
    { id: 3, book_id: 3, tag_id: 1 },
  ]);
});

describe('select', () => {
  it('gives rows, columns, aliases, casts and places in JSON', async () => {
    expect((await client.from('authors').select('name').order('id')).data).toEqual([
      { name: 'Ursula' },
      { name: 'Iain' },
      { name: 'Octavia' },
    ]);
    const { data } = await client
      .from('authors')
      .select('who:name, born::text, city:info->>city, first:info->prizes->0')
      .eq('id', 1);
    // Places in lists are written as numbers.
    expect(data).toEqual([{ who: 'Ursula', born: '1929', city: 'Portland', first: 'Hugo' }]);
  });

  const names = async (filter: (query: Query) => Query): Promise<unknown> => {
    const query: unknown = client.from('authors').select('name').order('id');
    const { data, error } = await filter(query as Query);
    return error ?? (data as { name: string }[]).map(({ name }) => name);
  };

  it.each<[string, (query: Query) => Query, string[]]>([
    ['eq', (query) => query.eq('born', 1929), ['Ursula']],
    ['neq leaves null out', (query) => query.neq('born', 1929), ['Iain']],
    ['gt and lte', (query) => query.gt('born', 1929).lte('born', 1954), ['Iain']],
    ['like', (query) => query.like('name', '%a%'), ['Ursula', 'Iain', 'Octavia']],
    ['ilike', (query) => query.ilike('name', 'u%'), ['Ursula']],
    ['is null', (query) => query.is('born', null), ['Octavia']],
    ['in', (query) => query.in('name', ['Iain', 'x,y']), ['Iain']],
    ['not', (query) => query.not('name', 'in', '(Iain,Ursula)'), ['Octavia']],
    ['or', (query) => query.or('born.lt.1930,and(name.eq.Iain,born.gt.1950)'), ['Ursula', 'Iain']],
    ['contains of JSON', (query) => query.contains('info', { city: 'Portland' }), ['Ursula']],
    ['match', (query) => query.match({ name: 'Iain', born: 1954 }), ['Iain']],
    ['a place in JSON', (query) => query.eq('info->>city', 'Dunfermline'), ['Iain']],
    ['likeAnyOf', (query) => query.likeAnyOf('name', ['U%', 'I%']), ['Ursula', 'Iain']],
    ['regexMatch', (query) => query.filter('name', 'match', '^O'), ['Octavia']],
  ])('filters by %s', async (_name, filter, expected) => {
    expect(await names(filter)).toEqual(expected);
  });

  it('orders, limits, counts and gives ranges', async () => {
    const down = await client.from('authors').select('id').order('born', { ascending: false });
    expect(down.data).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }]);
    const last = await client
      .from('authors')
      .select('id')
      .order('born', { ascending: false, nullsFirst: false });
    expect(last.data).toEqual([{ id: 2 }, { id: 1 }, { id: 3 }]);
    const page = await client.from('authors').select('id', { count: 'exact' }).order('id').range(1, 1);
    expect([page.status, page.count, page.data]).toEqual([206, 3, [{ id: 2 }]]);
    const head = await client.from('authors').select('*', { count: 'exact', head: true }).gt('id', 1);
    expect([head.count, head.data]).toEqual([2, null]);
    const beyond = await client.from('authors').select('id', { count: 'exact' }).range(10, 12);
    expect([beyond.status, beyond.error?.code]).toEqual([416, 'PGRST103']);
  });

  it('changes what there is after a long table was gone through', async () => {
    backlot
      .collection('supabase:notes')
      .setAll(Array.from({ length: 30_000 }, (_, id) => ({ id, text: `note ${id}` })));
    const change = async (fields: object): Promise<number> =>
      (await client.from('notes').update(fields).like('text', '%29999')).status;
    expect(await Promise.all([change({ one: 1 }), change({ two: 2 })])).toEqual([204, 204]);
    const { data } = await client.from('notes').select().like('text', '%29999').single();
    expect(data).toEqual({ id: 29_999, text: 'note 29999', one: 1, two: 2 });
  });

  it('gives one row, at most one, and CSV', async () => {
    expect((await client.from('authors').select().eq('id', 2).single()).data).toMatchObject({ name: 'Iain' });
    const none = await client.from('authors').select().eq('id', 9).single();
    expect([none.status, none.error]).toMatchObject([
      406,
      { code: 'PGRST116', details: 'The result contains 0 rows' },
    ]);
    expect((await client.from('authors').select().eq('id', 9).maybeSingle()).data).toBeNull();
    expect((await client.from('authors').select().single()).error?.code).toBe('PGRST116');
    expect((await client.from('tags').select().csv()).data).toBe('id,tag\n1,utopia\n2,ships');
  });

  it('embeds tables', async () => {
    const one = await client.from('books').select('title, authors(name)').eq('id', 3).single();
    expect(one.data).toEqual({ title: 'Excession', authors: { name: 'Iain' } });
    const many = await client
      .from('authors')
      .select('name, books(title)')
      .order('id')
      .order('year', { referencedTable: 'books' })
      .limit(1, { referencedTable: 'books' });
    expect(many.data).toEqual([
      { name: 'Ursula', books: [{ title: 'The Lathe of Heaven' }] },
      { name: 'Iain', books: [{ title: 'Excession' }] },
      { name: 'Octavia', books: [] },
    ]);
    const through = await client.from('books').select('title, tags(tag)').eq('id', 3);
    expect(through.data).toEqual([{ title: 'Excession', tags: [{ tag: 'ships' }, { tag: 'utopia' }] }]);
    const inner = await client.from('authors').select('name, books!inner(title)').eq('books.year', 1996);
    expect(inner.data).toEqual([{ name: 'Iain', books: [{ title: 'Excession' }] }]);
    const spread = await client
      .from('books')
      .select('title, ...authors(author:name), author_id(born)')
      .eq('id', 1);
    expect(spread.data).toEqual([{ title: 'The Dispossessed', author: 'Ursula', author_id: { born: 1929 } }]);
    const without = await client.from('authors').select('name, books()').is('books', null);
    expect(without.data).toMatchObject([{ name: 'Octavia' }]);
    expect((await client.from('authors').select('name, tags(tag)')).error?.code).toBe('PGRST200');
  });

  it('refuses what PostgREST refuses', async () => {
    expect((await client.from('nothing').select()).error).toMatchObject({
      code: 'PGRST205',
      message: "Could not find the table 'public.nothing' in the schema cache",
    });
    expect((await client.from('authors').select('age')).error?.code).toBe('42703');
    expect((await client.from('authors').select('id').eq('age', 1)).error?.code).toBe('42703');
    expect((await client.from('authors').select('id').eq('born', 'x')).error?.code).toBe('22P02');
    expect((await client.from('authors').select('id').filter('id', 'zz', 1)).error?.code).toBe('PGRST100');
    expect((await client.from('authors').select('name(').order('id')).error?.code).toBe('PGRST100');
    expect((await client.from('auth.users').select()).error?.code).toBe('PGRST205');
  });
});

describe('changes', () => {
  it('insert rows, with what they are by default', async () => {
    const made = await client.from('books').insert({ title: 'Kindred', author_id: 3 }).select().single();
    expect([made.status, made.data]).toEqual([
      201,
      { in_print: true, title: 'Kindred', author_id: 3, id: 4 },
    ]);
    const two = await client.from('books').insert([{ title: 'A' }, { title: 'B' }]);
    expect([two.status, two.data]).toEqual([201, null]);
    expect(backlot.collection('supabase:books').size).toBe(6);
  });

  it('insert all rows or none', async () => {
    const refused = await client.from('books').insert([{ title: 'A' }, { title: null }]);
    expect(refused.error?.code).toBe('23502');
    expect(backlot.collection('supabase:books').size).toBe(3);
    const foreign = await client.from('books').insert({ title: 'A', author_id: 77 });
    expect([foreign.status, foreign.error?.code]).toEqual([409, '23503']);
    expect((await client.from('authors').insert({ id: 1, name: 'X' })).error?.code).toBe('23505');
    expect((await client.from('authors').insert({ name: 'Iain' })).error).toMatchObject({
      code: '23505',
      details: 'Key (name)=(Iain) already exists.',
    });
    expect((await client.from('authors').insert({ age: 3 })).error?.code).toBe('PGRST204');
  });

  it('upsert', async () => {
    const merged = await client.from('authors').upsert({ id: 2, born: 1955 }).select('name, born').single();
    expect(merged.data).toEqual({ name: 'Iain', born: 1955 });
    await client.from('authors').upsert({ name: 'Iain', born: 1956 }, { onConflict: 'name' });
    expect(backlot.collection('supabase:authors').get('2')).toMatchObject({ born: 1956 });
    const left = await client.from('authors').upsert({ id: 2, born: 1 }, { ignoreDuplicates: true }).select();
    expect(left.data).toEqual([]);
    const fresh = await client.from('authors').upsert({ name: 'Ann' }).select().single();
    expect(fresh.data).toMatchObject({ id: 4, name: 'Ann' });
  });

  it('update and delete what filters say', async () => {
    const changed = await client.from('books').update({ year: 2000 }).eq('author_id', 1).select('id, year');
    expect(changed.data).toEqual([
      { id: 1, year: 2000 },
      { id: 2, year: 2000 },
    ]);
    const quiet = await client.from('books').update({ year: 1 }, { count: 'exact' }).eq('id', 3);
    expect([quiet.status, quiet.count]).toEqual([204, 1]);
    const gone = await client.from('books').delete().eq('id', 3).select();
    expect(gone.data).toMatchObject([{ title: 'Excession' }]);
    expect((await client.from('books').delete()).error?.code).toBe('21000');
    expect(backlot.collection('supabase:books').size).toBe(2);
  });
});

describe('changes that cannot be answered as they are asked for', () => {
  it.each([
    ['a relation that is not there', 'id, nope(*)', 'PGRST200'],
    ['a column of what is embedded', 'id, authors(age)', '42703'],
    ['a cast that is not known', 'id::money', 'PGRST100'],
    ['a spread of many rows', '...tags(tag)', 'PGRST100'],
    ['a value that cannot be cast', 'title::int', '22P02'],
  ])('change nothing: %s', async (_what, select, code) => {
    const rows = backlot.collection('supabase:books');
    const before = rows.list();
    const books = client.from('books');
    const answers = await Promise.all([
      books.delete().gte('id', 1).select(select),
      books.update({ year: 1 }).gte('id', 1).select(select),
      books.insert({ title: 'A' }).select(select),
      books.upsert([{ id: 1, title: 'B' }, { id: 1, title: 'C' }, { title: 'D' }]).select(select),
    ]);
    expect(answers.map(({ error }) => error?.code)).toEqual([code, code, code, code]);
    expect(rows.list()).toEqual(before);
    // So it is where one row is wanted, and there are others.
    expect((await books.delete().gte('id', 1).select().single()).status).toBe(406);
    expect((await books.update({ year: 1 }).gte('id', 1).select().single()).status).toBe(406);
    expect(rows.list()).toEqual(before);
  });

  it('change the rows that pass still, at a time with others', async () => {
    const notes = backlot.collection('supabase:notes');
    notes.setAll(Array.from({ length: 20_000 }, (_, id) => ({ id, kind: 'old' })));
    const from = () => client.from('notes');
    const [gone] = await Promise.all([
      from().delete().eq('kind', 'old').select('id'),
      from().update({ kind: 'new' }).eq('kind', 'old').gte('id', 19_990),
    ]);
    expect(notes.list().every(({ kind }) => kind === 'new')).toBe(true);
    expect(gone.data).toHaveLength(20_000 - notes.size);
  });
});

describe('functions of the database and of the edge', () => {
  it('are rows with results', async () => {
    const rpc = backlot.collection('supabase:rpc');
    rpc.create({ name: 'add', result: 5 });
    rpc.create({
      name: 'top',
      result: [
        { id: 1, n: 3 },
        { id: 2, n: 9 },
      ],
    });
    rpc.create({ name: 'fails', error: { code: 'P0001', message: 'no luck', hint: 'try again' } });
    expect((await client.rpc('add', { a: 2, b: 3 })).data).toBe(5);
    expect(rpc.get('add')).toMatchObject({ calls: [{ arguments: { a: 2, b: 3 } }] });
    expect((await client.rpc('top').select('id').order('n', { ascending: false }).limit(1)).data).toEqual([
      { id: 2 },
    ]);
    expect((await client.rpc('top', {}, { get: true }).eq('id', 1)).data).toEqual([{ id: 1, n: 3 }]);
    expect((await client.rpc('fails')).error).toMatchObject({ code: 'P0001', hint: 'try again' });
    expect((await client.rpc('none', { a: 1 })).error?.code).toBe('PGRST202');
  });

  it('answer what a test says', async () => {
    const functions = backlot.collection('supabase:functions');
    functions.create({ name: 'hello', json: { hello: 'ann' } });
    functions.create({ name: 'broken', status: 500, json: { error: 'x' } });
    functions.create({ name: 'lost', status: 500, relay_error: true });
    expect(await client.functions.invoke('hello', { body: { name: 'ann' } })).toMatchObject({
      data: { hello: 'ann' },
      error: null,
    });
    expect((await client.functions.invoke('broken')).error.name).toBe('FunctionsHttpError');
    expect((await client.functions.invoke('lost')).error.name).toBe('FunctionsRelayError');
    expect((await client.functions.invoke('none')).error.context.status).toBe(404);
  });
});

describe('keys and scenarios', () => {
  it('a key is needed, and one that is wrong or has expired is refused', async () => {
    const url = `${backlot.env.SUPABASE_URL}/rest/v1/authors`;
    expect((await fetch(url)).status).toBe(401);
    const wrong = connectTo(backlot.env.SUPABASE_URL, 'a.b.c');
    expect((await wrong.from('authors').select()).error?.code).toBe('PGRST301');
    const fresh = connectTo(backlot.env.SUPABASE_URL, 'sb_publishable_x');
    expect((await fresh.from('authors').select('id').eq('id', 1)).data).toEqual([{ id: 1 }]);
  });

  it.each([
    ['outage', 503, undefined],
    ['expired-token', 401, 'PGRST303'],
    ['statement-timeout', 500, '57014'],
    ['pool-exhausted', 504, 'PGRST003'],
    ['invalid-key', 401, undefined],
  ])('%s answers %i', async (scenario, status, code) => {
    backlot.scenarios.activate(`supabase:${scenario}`);
    const refused = await client.from('authors').select();
    expect([refused.status, refused.error?.code]).toEqual([status, code]);
  });

  it('row-level-security refuses changes alone', async () => {
    backlot.scenarios.activate('supabase:row-level-security');
    expect((await client.from('tags').insert({ tag: 'x' })).error).toMatchObject({
      code: '42501',
      message: 'new row violates row-level security policy for table "tags"',
    });
    expect((await client.from('tags').select()).error).toBeNull();
  });
});
