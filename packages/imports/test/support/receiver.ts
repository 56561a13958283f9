import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that was received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly body: string;
}

/** A server of an application that is called back. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  stop(): Promise<void>;
}

/** Starts a server that answers 204 and keeps what it was sent. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, type: headers['content-type'] ?? '', body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
