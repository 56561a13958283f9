import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { AgentParts } from './api.js';
import { createServer } from './server.js';

/** Answers requests of `/mcp`. */
export type AgentHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const SPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Makes what answers agents over HTTP, those of the stateless protocol (2026-07-28) and older ones. The query parameter `space`, or the
 * header `Backlot-Space`, names the space that the session acts on; it is made when it is first named.
 *
 * @param onError - told what goes wrong beside the answers
 */
export function createAgentHandler(parts: AgentParts, onError: (error: Error) => void): AgentHandler {
  const handler = createMcpHandler(
    ({ requestInfo }) => createServer(parts.apiOf(spaceOf(requestInfo)), parts),
    {
      responseMode: 'auto',
      onerror: onError,
    },
  );
  return async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    const asked = new Request(new URL(url, 'http://localhost'), {
      method,
      headers: headersOf(request),
      signal: abort.signal,
      ...(method === 'POST' ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' } : {}),
    });
    const space = spaceOf(asked);
    if (space !== undefined && !SPACE.test(space)) {
      response.writeHead(400, { 'content-type': 'application/json' });
      const message = `space is ${JSON.stringify(space.slice(0, 100))}; it has 1 to 63 lower case letters, digits and hyphens`;
      response.end(JSON.stringify({ error: message }));
      return;
    }
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) {
      response.end();
      return;
    }
    const body = Readable.fromWeb(answer.body);
    body.once('error', () => response.destroy());
    body.pipe(response);
  };
}

function spaceOf(request: Request | undefined): string | undefined {
  if (request === undefined) return undefined;
  return new URL(request.url).searchParams.get('space') ?? request.headers.get('backlot-space') ?? undefined;
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}
