import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { afterThis, startHost } from './support.js';

it('commands read and change a collection', async () => {
  const { port, host } = await startHost({}, [
    {
      command: 'HGETALL',
      key: 'user:*',
      collection: { name: 'users', get: true, where: { redis: '{{request.key}}' } },
      response: { type: 'map', value: { name: '{{row.name}}', age: '{{row.age}}' } },
    },
    { command: 'HGETALL', response: { type: 'map', value: {} } },
    {
      command: 'SET',
      collection: { name: 'users', upsert: '{{request.key}}', value: '{{request.args.0}}' },
      response: { type: 'string', value: 'OK' },
    },
    {
      command: 'RPOP',
      collection: { name: 'jobs', take: true, sort: '-n' },
      response: { type: 'bulk', value: '{{row.id}}' },
    },
    { command: 'RPOP', response: { type: 'nil' } },
  ]);
  host.collection('users').setAll([{ id: 'a', redis: 'user:a', name: 'Ann', age: 7 }]);
  host.collection('jobs').setAll([
    { id: 'j1', n: 1 },
    { id: 'j2', n: 2 },
  ]);
  const client = new Redis({ port, host: '127.0.0.1' });
  afterThis(() => client.disconnect());
  expect(await client.hgetall('user:a')).toEqual({ name: 'Ann', age: '7' });
  expect(await client.hgetall('user:b')).toEqual({});
  expect(await client.set('b', '{"name":"Bob","n":{"x":1}}')).toBe('OK');
  expect(host.collection('users').get('b')).toEqual({ id: 'b', name: 'Bob', n: { x: 1 } });
  expect([await client.rpop('q'), await client.rpop('q'), await client.rpop('q')]).toEqual([
    'j2',
    'j1',
    null,
  ]);
});

it('a text that is one tag inserts a whole map, list or set', async () => {
  const { port, host } = await startHost({}, [
    {
      command: 'HGETALL',
      collection: { name: 'users', get: '{{request.key}}' },
      response: { type: 'map', value: '{{row}}' },
    },
    {
      command: 'KEYS',
      collection: { name: 'users', list: true },
      response: { type: 'array', value: '{{rows}}' },
    },
    { command: 'SMEMBERS', response: { type: 'set', value: '{{state.tags}}' } },
    { command: 'HKEYS', response: { type: 'map', value: '{{request.key}}{{request.command}}' } },
  ]);
  host.collection('users').setAll([{ id: 'a', name: 'Ann', age: 7, tags: ['x', null], more: { ok: 'yes' } }]);
  const client = new Redis({ port, host: '127.0.0.1' });
  afterThis(() => client.disconnect());
  const row = ['id', 'a', 'name', 'Ann', 'age', 7, 'tags', ['x', null], 'more', ['ok', 'yes']];
  expect(await client.call('HGETALL', 'a')).toEqual(row);
  expect(await client.keys('*')).toEqual([row]);
  await expect(client.smembers('t')).rejects.toThrow(/ERR mock ".*" made "", which is no set/);
  await expect(client.hkeys('k')).rejects.toThrow(/made "kHKEYS", which is no map/);
  const create = (value: string) => () =>
    host.kind('redis').mocks.create({ command: 'GET', response: { type: 'map', value } });
  expect(create('no tag')).toThrow(/the value of map must be an object/);
  expect(create('{{}}')).toThrow(/map/);
});

it('a command moves a row from one collection to another, or answers nil and moves nothing', async () => {
  const { port, host } = await startHost({}, [
    {
      command: 'RPOPLPUSH',
      collection: [
        { name: 'workers', get: '{{request.args.0}}', as: 'worker' },
        { name: 'waiting', take: true, sort: '-n', as: 'job' },
        { name: 'taken', create: '{{job.id}}', value: { by: '{{worker.name}}', n: '{{job.n}}' } },
        { name: 'taken', list: true, where: { by: '{{worker.name}}' } },
      ],
      response: { type: 'array', value: ['{{job.id}}', '{{row.by}}', '{{total}}'] },
    },
    { command: 'RPOPLPUSH', response: { type: 'nil' } },
  ]);
  host.collection('workers').setAll([{ id: 'w1', name: 'Ann' }]);
  host.collection('waiting').setAll([1, 2].map((n) => ({ id: `j${n}`, n })));
  const client = new Redis({ port, host: '127.0.0.1' });
  afterThis(() => client.disconnect());
  expect(await client.rpoplpush('waiting', 'w2')).toBeNull();
  expect(host.collection('waiting').size).toBe(2);
  expect(await client.rpoplpush('waiting', 'w1')).toEqual(['j2', 'Ann', '1']);
  expect(await client.rpoplpush('waiting', 'w1')).toEqual(['j1', 'Ann', '2']);
  expect(await client.rpoplpush('waiting', 'w1')).toBeNull();
  expect(host.collection('taken').list()).toEqual([
    { id: 'j2', by: 'Ann', n: 2 },
    { id: 'j1', by: 'Ann', n: 1 },
  ]);
});
