import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { afterThis, startHost } from './support.js';

function connect(port: number, name: string): Redis {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    connectionName: name,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  client.on('error', () => undefined);
  afterThis(() => client.disconnect());
  return client;
}

it('a fault is for the keys and commands that it names, and counts them', async () => {
  const { host, port } = await startHost();
  const client = connect(port, 'app');
  host.faults.set('redis', {
    match: { command: 'GET', key: 'user:*' },
    after: 1,
    times: 2,
    error: 'LOADING',
  });
  await client.set('user:1', 'ada');
  await client.set('other', 'x');
  const answers: string[] = [];
  for (const key of ['user:1', 'other', 'user:1', 'user:2', 'user:1'])
    answers.push(
      await client.get(key).then(
        (value) => value ?? 'nil',
        (error: Error) => error.message,
      ),
    );
  expect(answers).toEqual(['ada', 'x', 'LOADING', 'LOADING', 'ada']);
  expect(host.faults.get('redis')).toMatchObject({ after: 1, times: 2, left: { after: 0, times: 0 } });
  expect(() => host.faults.set('redis', { match: { key: 're:(' } })).toThrow(/^redis fault\/match\/key: /);
  expect(() => host.faults.set('redis', { match: { response: { type: 'nil' } } })).toThrow('/match');
});

it('a fault hits what the server answers by itself only where it names it', async () => {
  for (const mode of ['stateful', 'mock']) {
    const { host, port } = await startHost({ mode });
    const client = connect(port, 'app');
    host.faults.set('redis', { error: 'LOADING' });
    expect(await client.ping()).toBe('PONG');
    await expect(client.get('a')).rejects.toThrow('LOADING');
    host.faults.set('redis', { match: { command: 'PING' }, after: 1, times: 1, error: 'LOADING' });
    expect(await client.ping()).toBe('PONG');
    await expect(client.ping()).rejects.toThrow('LOADING');
    expect(await client.ping()).toBe('PONG');
    expect(await client.echo('x')).toBe('x');
  }
});

it('connections have names and subscriptions, and are closed by them', async () => {
  const { kind, port } = await startHost();
  const [app, listener] = [connect(port, 'app'), connect(port, 'listener')];
  await app.ping();
  await listener.subscribe('news', 'sport');
  expect(kind.connections.list()).toEqual([
    expect.objectContaining({ client: 'app', user: 'default', subscriptions: [] }),
    expect.objectContaining({ client: 'listener', subscriptions: ['news', 'sport'] }),
  ]);
  const gone = new Promise((resolve) => listener.once('end', resolve));
  expect(kind.connections.close({ client: 'listener' }, 'reset')).toBe(1);
  await gone;
  expect(await app.ping()).toBe('PONG');
  expect(kind.connections.list().map(({ client }) => client)).toEqual(['app']);
});
