import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { Redis } from 'ioredis';
import { redis } from '../src/index.js';

const SAMPLES = fileURLToPath(new URL('samples', import.meta.url));

const bulk = (value: string): object => ({ type: 'bulk', value });

describeConformance(redis, {
  mocks: {
    simple: { command: 'GET', key: 'simple', response: bulk('one') },
    changed: { command: 'get', key: 'simple', response: bulk('two') },
    other: { command: 'GET', key: 'other', response: bulk('three') },
    template: { command: 'GET', key: 'sim*', response: bulk('{{upper request.key}}') },
    bad: [
      { key: 'a', response: bulk('x') },
      { command: 'GET' },
      { command: '', response: bulk('x') },
      { command: ' ', response: bulk('x') },
      { command: 'GE*', response: bulk('x') },
      { command: 'GET', key: 're:(', response: bulk('x') },
      { command: 'GET', args: ['re:('], response: bulk('x') },
      { command: 'GET', args: [{}], response: bulk('x') },
      { command: 'GET', response: { type: 'text', value: 'x' } },
      { command: 'GET', response: { type: 'bulk', value: '{{#open}}' } },
      { command: 'GET', response: { type: 'integer', value: 'abc' } },
      { command: 'GET', response: { type: 'integer', value: 1.5 } },
      { command: 'GET', response: { type: 'integer', value: '9223372036854775808' } },
      { command: 'GET', response: { type: 'integer' } },
      { command: 'GET', response: { type: 'double', value: 'abc' } },
      { command: 'GET', response: { type: 'boolean', value: 'yes' } },
      { command: 'GET', response: { type: 'array', value: 'x' } },
      { command: 'GET', response: { type: 'array', value: [{ type: 'integer', value: 'x' }] } },
      { command: 'GET', response: { type: 'map', value: ['x'] } },
      { command: 'GET', response: { type: 'nil', value: 'x' } },
      { command: 'GET', response: { type: 'string', value: 'a\r\nb' } },
      { command: 'GET', response: { type: 'error', value: 'ERR a\nb' } },
      { command: 'GET', response: { type: 'error' } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'nil',
    fault: 'ERR fault injected',
  },
  logged: { method: 'GET', path: 'simple' },
  login: {
    async attempt({ host, port }) {
      const client = new Redis({ host, port, lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => undefined);
      await client.connect();
      return client
        .call('AUTH', 'default', 'secret')
        .then(
          (answer) => (answer === 'OK' ? 'accepted' : String(answer)),
          (error: Error) => error.message,
        )
        .finally(() => abandon(client.stream));
    },
    refused: 'WRONGPASS invalid username-password pair or user is disabled.',
    custom: { fault: { error: 'LOADING later' }, refused: 'LOADING later' },
  },
  connect,
  namesSpaces: true,
  imports: [
    ...readdirSync(SAMPLES)
      .filter((name) => name.endsWith('.rdb') && !name.includes('module'))
      .map((name) => ({ format: 'rdb', name, content: readFileSync(join(SAMPLES, name)) })),
    {
      format: 'redis-commands',
      name: 'seeds.redis',
      content: 'SET a "b c" EX 60\nHSET h f v\nRPUSH l 1 2\nZADD z 1 m\nXADD s 1-1 f v\nSELECT 2\nSADD t x\n',
    },
    {
      format: 'redis-commands',
      name: 'appendonly.aof',
      content: '*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n',
    },
  ],
});

/** Asks for keys. */
async function connect({ host, port }: ListenAddress, space?: string): Promise<ProbeClient> {
  const named = space === undefined ? {} : { username: space, password: 'any' };
  const client = new Redis({ host, port, lazyConnect: true, retryStrategy: () => null, ...named });
  client.on('error', () => undefined);
  let isClosed = false;
  client.on('end', () => {
    isClosed = true;
  });
  await client.connect();
  const socket = client.stream;
  return {
    async send(message) {
      try {
        return (await client.get(message)) ?? 'nil';
      } catch (error) {
        return isClosed || /closed|ended/i.test(String(error)) ? 'closed' : (error as Error).message;
      }
    },
    close: () => abandon(socket),
  };
}
