import { once } from 'node:events';
import nodeHttp, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '@backlot/core';
import { startHttp, type HttpHost } from './http-host.js';

const cleanups: (() => unknown)[] = [];

/** Ends what a test has started, with {@link stopRealServers}. */
export function cleanUp(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Ends all servers of a test. */
export async function stopRealServers(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

/** A real server of node:http; gives its url. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = nodeHttp.createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A host that leads to an upstream. */
export function recorder(
  url: string,
  mode: string,
  mocks: readonly object[] = [],
  config: object = {},
): Promise<HttpHost> {
  return startHttp(mocks, { upstream: { url, mode }, ...config });
}

/** The mocks that were recorded, as a configuration has them. */
export function recordedBy({ host }: HttpHost): readonly Json[] {
  return host.kind('http').mocks.list();
}

/** Serves what was recorded, with nothing behind it. */
export function replay(recording: HttpHost): Promise<HttpHost> {
  return startHttp(structuredClone(recordedBy(recording)), { upstream: { mode: 'replay' } });
}

/** What a request is answered. */
export async function ask(url: string, init?: RequestInit): Promise<[status: number, body: string]> {
  const answer = await fetch(url, init);
  return [answer.status, await answer.text()];
}
