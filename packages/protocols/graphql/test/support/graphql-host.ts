import { createHost, type Host } from '@backlot/core';
import { graphql } from '../../src/index.js';

const running: GraphqlHost[] = [];

/** A host with a GraphQL server on a free port. */
export interface GraphqlHost {
  readonly host: Host;
  readonly port: number;
  /** Of queries and mutations. */
  readonly url: string;
  /** Of subscriptions. */
  readonly socketUrl: string;
  /** What the server wrote to its log. */
  readonly lines: string[];
}

/** What a request was answered with. */
export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly json: { readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] };
}

/** Starts a host; {@link stopAll} ends it. */
export async function startGraphql(
  mocks: readonly object[] = [],
  config: object = {},
  more: object = {},
): Promise<GraphqlHost> {
  const lines: string[] = [];
  const host = await createHost({
    protocols: [graphql],
    settings: { graphql: { host: '127.0.0.1', port: 0, mocks, ...config } },
    seed: 1,
    log: ({ level, text }) => lines.push(`${level}: ${text}`),
    ...more,
  });
  await host.start();
  const port = host.kind('graphql').address?.port ?? 0;
  const started = {
    host,
    port,
    url: `http://127.0.0.1:${port}/graphql`,
    socketUrl: `ws://127.0.0.1:${port}/graphql`,
    lines,
  };
  running.push(started);
  return started;
}

/** Stops every host of a test. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map(({ host }) => host.stop(200)));
}

/** Sends a JSON request, and whatever else is given to fetch. */
export function post(url: string, body: unknown, init: RequestInit = {}): Promise<Answer> {
  return request(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string> | undefined) },
  });
}

/** Sends a request. */
export async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    text,
    json: text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {},
  };
}
