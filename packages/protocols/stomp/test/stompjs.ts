import net from 'node:net';
import { Client, type StompConfig } from '@stomp/stompjs';
import { WebSocket } from 'ws';
import { SocketAdapter } from './socket-adapter.js';
import { afterThis } from './support.js';

/** The two ways of stompjs to a server. */
export const WAYS: readonly (readonly [name: string, config: (port: number) => StompConfig])[] = [
  ['a WebSocket', (port) => ({ brokerURL: `ws://127.0.0.1:${port}/ws` })],
  ['a socket', (port) => ({ webSocketFactory: () => new SocketAdapter(net.connect(port, '127.0.0.1')) })],
];

/** Makes what stompjs expects of a browser. */
export function withWebSocket(): void {
  Object.assign(globalThis, { WebSocket });
}

/** A connected client of stompjs. */
export async function connectStompjs(config: StompConfig): Promise<Client> {
  withWebSocket();
  const client = new Client(config);
  afterThis(() => client.deactivate({ force: true }));
  await new Promise<void>((resolve, reject) => {
    client.onConnect = () => resolve();
    client.onStompError = ({ headers }) => reject(new Error(headers['message']));
    client.activate();
  });
  return client;
}
