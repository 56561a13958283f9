import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { AgentParts, AgentSpace } from './api.js';
import { createServer } from './server.js';

/** The one that was used longest ago makes room for another. */
const MOST_SESSIONS = 100;
const HEADER = 'mcp-session-id';

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly space: AgentSpace;
}

/** The sessions of agents over HTTP, as the protocol has them before 2026-07-28: each in a space of its own, which ends with it. */
export class AgentSessions {
  readonly #parts: AgentParts;
  readonly #onError: (error: Error) => void;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, Session>();

  /** @param onError - told what goes wrong beside the answers */
  constructor(parts: AgentParts, onError: (error: Error) => void) {
    this.#parts = parts;
    this.#onError = onError;
  }

  /** Answers a request that begins a session or belongs to one; `undefined` for any other. */
  async answer(request: Request): Promise<Response | undefined> {
    const id = request.headers.get(HEADER);
    if (id === null) return (await begins(request)) ? this.#begin(request) : undefined;
    const session = this.#sessions.get(id);
    if (session === undefined) return notFound();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request);
  }

  async #begin(request: Request): Promise<Response> {
    const space = this.#parts.ownSpace();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, space });
        const [oldest] = this.#sessions.keys();
        if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) void this.#end(oldest);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    transport.onerror = this.#onError;
    await createServer(space, this.#parts).connect(transport);
    return transport.handleRequest(request);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    if (session === undefined) return;
    try {
      await session.space.end();
      await session.transport.close();
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Whether a request is the first of a session. */
async function begins(request: Request): Promise<boolean> {
  // It reads no more of a body than may be read at all.
  if (request.method !== 'POST' || !(await isLegacyRequest(request))) return false;
  try {
    return isInitializeRequest(await request.clone().json());
  } catch {
    return false;
  }
}

/** With this status a client begins another session. */
function notFound(): Response {
  const error = { code: -32_001, message: 'Session not found: it has ended, or the server was started anew' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
