import type { Socket } from 'node:net';
import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { Client } from 'memjs';
import { memcached } from '../src/index.js';

describeConformance(memcached, {
  mocks: {
    simple: { command: 'get', key: 'simple', response: { value: 'one' } },
    changed: { command: 'get', key: 'simple', response: { value: 'two' } },
    other: { key: 'other', response: { value: 'three' } },
    template: { key: 'simple', response: { value: '{{upper request.key}}' } },
    bad: [
      { command: 'fetch' },
      { command: 'version' },
      { command: 'quit' },
      { command: 're:(' },
      { key: 're:(' },
      { key: 'k'.repeat(251) },
      { key: 'é'.repeat(126) },
      { response: { value: '{{#open}}' } },
      { response: { flags: -1 } },
      { response: { flags: 4_294_967_296 } },
      { response: { status: 'stored' } },
      { response: { status: 'MAYBE' } },
      { response: { status: 'SERVER_ERROR two\nlines' } },
      { command: 'get', response: { status: 'STORED' } },
      { command: 'SET', response: { status: 'DELETED' } },
      { command: 'delete', response: { status: 'TOUCHED' } },
      { command: 'incr', response: { value: 'many' } },
      { command: 'ma', response: { value: '-1' } },
      { response: { text: 'x' } },
      { response: 'x' },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'miss',
    fault: 'MemJS GET: Internal error',
  },
  logged: { method: 'get', path: 'simple' },
  connect,
  imports: [
    {
      format: 'memcached',
      name: 'dump.txt',
      content:
        'add greeting 0 -1 5\r\nhello\r\nadd later 32 1700000000 4\r\n\r\nab\r\nset short 0 60 1\r\nx\r\n',
    },
  ],
});

/** Where a client of memjs keeps its socket. */
interface Inner {
  readonly servers: readonly { readonly _socket?: Socket }[];
}

/** A client of memjs, which speaks the binary protocol. */
function connect({ host, port }: ListenAddress): Promise<ProbeClient> {
  const client = Client.create(`${host}:${port}`, {
    retries: 1,
    timeout: 5,
    logger: { log: () => undefined },
  });
  return Promise.resolve({
    async send(message) {
      try {
        const { value } = await client.get(message);
        return value?.toString() ?? 'miss';
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return /close|reset|ECONN/i.test(text) ? 'closed' : text;
      }
    },
    close() {
      for (const { _socket: socket } of (client as unknown as Inner).servers) if (socket) abandon(socket);
      client.close();
    },
  });
}
