import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { AgentParts } from './api.js';
import { createServer } from './server.js';
import { AgentSessions } from './sessions.js';
import { readSpaceName } from './space-name.js';

/** Answers requests of `/mcp`. */
export type AgentHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Makes what answers agents over HTTP, those of the stateless protocol (2026-07-28) and older ones. The query parameter `space`, or the
 * header `Backlot-Space`, names the space that is acted on, which is made when it is first named; empty it means the server itself. Where
 * it is absent, a session has a space of its own, and without sessions each call says where it acts.
 *
 * @param onError - told what goes wrong beside the answers
 */
export function createAgentHandler(parts: AgentParts, onError: (error: Error) => void): AgentHandler {
  const sessions = new AgentSessions(parts, onError);
  const stateless = createMcpHandler(
    ({ requestInfo }) => {
      const name = requestInfo && spaceOf(requestInfo);
      return createServer(name === undefined ? undefined : parts.apiOf(readSpaceName(name)), parts);
    },
    { responseMode: 'auto', onerror: onError },
  );
  const answer = async (request: Request): Promise<Response> => {
    const name = spaceOf(request);
    if (name === undefined) return (await sessions.answer(request)) ?? stateless.fetch(request);
    try {
      readSpaceName(name);
    } catch (error) {
      return Response.json({ error: (error as Error).message }, { status: 400 });
    }
    return stateless.fetch(request);
  };
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
    const answered = await answer(asked);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body === null) {
      response.end();
      return;
    }
    const body = Readable.fromWeb(answered.body);
    body.once('error', () => response.destroy());
    // A stream that waits for events ends with the client that listens.
    response.once('close', () => body.destroy());
    body.pipe(response);
  };
}

function spaceOf(request: Request): string | undefined {
  return new URL(request.url).searchParams.get('space') ?? request.headers.get('backlot-space') ?? undefined;
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}
