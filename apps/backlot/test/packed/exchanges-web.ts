import { once } from 'node:events';
import grpc from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import type { Exchange } from './exchanges.js';

/** HTTP and what is built on it. */
export const connectWeb: Readonly<Record<string, Exchange>> = {
  http: {
    settings: {
      mocks: [
        {
          id: 'hello',
          request: { path: '/hello/{name}' },
          response: { body: 'Hello {{request.params.name}}' },
        },
      ],
    },
    run: async (port) => (await fetch(`http://localhost:${port}/hello/you`)).text(),
    want: 'Hello you',
  },
  websocket: {
    settings: { mocks: [{ id: 'ping', path: '/ws', on_message: [{ match: 'PING', respond: 'PONG' }] }] },
    async run(port) {
      const socket = new WebSocket(`ws://localhost:${port}/ws`);
      await once(socket, 'open');
      socket.send('PING');
      const [data] = (await once(socket, 'message')) as [Buffer];
      socket.close();
      await once(socket, 'close');
      return data.toString();
    },
    want: 'PONG',
  },
  grpc: {
    settings: { mocks: [{ id: 'health', method: 'acme.Users/Get', response: { name: 'Ann' } }] },
    run(port) {
      const client = new grpc.Client(`localhost:${port}`, grpc.credentials.createInsecure());
      const pass = (bytes: Buffer): Buffer => bytes;
      return new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          '/grpc.health.v1.Health/Check',
          pass,
          pass,
          Buffer.alloc(0),
          (error, answer) => {
            client.close();
            if (error) reject(error);
            else resolve(answer?.toString('hex'));
          },
        );
      });
    },
    // Field 1, `status`: SERVING.
    want: '0801',
  },
  graphql: {
    settings: {
      mocks: [
        { id: 'user', operation_name: 'GetUser', response: { user: { id: '{{request.variables.id}}' } } },
      ],
    },
    async run(port) {
      const answer = await fetch(`http://localhost:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query": "query GetUser($id: ID) { user(id: $id) { id } }", "variables": {"id": "7"}}',
      });
      return answer.json();
    },
    want: { data: { user: { id: '7' } } },
  },
};
