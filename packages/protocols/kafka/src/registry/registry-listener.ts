import type { IncomingMessage, ServerResponse } from 'node:http';
import { createService, type Connection, type ListenerService, type ServiceContext } from '@backlot/kit';
import { announcesTooMuch, HttpAcceptor, readBody } from '@backlot/kit/http';
import { RegistryError } from './registry-error.js';
import { RawText, type RegistryHandler } from './registry-route.js';
import type { Registry } from './registry.js';
import { REGISTRY_ROUTES } from './routes.js';

/** The largest body of a request. */
const MAX_BODY = 1024 * 1024;
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';

/** A route with its path cut at the slashes. */
interface CutRoute {
  readonly method: string;
  readonly parts: readonly string[];
  readonly handle: RegistryHandler;
}

const ROUTES: readonly CutRoute[] = REGISTRY_ROUTES.map(([method, path, handle]) => ({
  method,
  parts: path.split('/'),
  handle,
}));

/** Serves a registry by HTTP on a port of its own. */
export function createRegistryListener(context: ServiceContext, registry: Registry): ListenerService {
  const http = new HttpAcceptor({
    onRequest: (request, response, connection) => receive(request, response, connection, registry, context),
  });
  return createService(context, {
    stream: { alpnProtocols: ['http/1.1'], onConnection: (connection) => http.take(connection) },
    onStarted: () => http.start(),
    onStopped: () => http.stop(),
  });
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  registry: Registry,
  { log }: ServiceContext,
): void {
  const refuse = (error: unknown): void => {
    if (!(error instanceof RegistryError)) log.error('a request to the schema registry failed', error);
    const known = error instanceof RegistryError ? error : new RegistryError(50001, 'Internal Server Error');
    send(response, known.status, { error_code: known.code, message: known.message });
  };
  const tooLarge = new RegistryError(413, `A body has ${MAX_BODY} bytes at most.`);
  if (announcesTooMuch(request, MAX_BODY)) {
    response.setHeader('Connection', 'close');
    return refuse(tooLarge);
  }
  connection.busy();
  const done = (): void => connection.idle();
  response.once('close', done);
  readBody(request, MAX_BODY, (body) => {
    if (body === undefined) {
      response.setHeader('Connection', 'close');
      return refuse(tooLarge);
    }
    answer(request, body, registry).then((value) => send(response, 200, value), refuse);
  });
}

async function answer(request: IncomingMessage, bytes: Buffer, registry: Registry): Promise<unknown> {
  const { method = 'GET', url = '/' } = request;
  const [path = '/', query = ''] = url.split('?', 2);
  const parts = cut(path);
  let isPath = false;
  for (const route of ROUTES) {
    const found = parts === undefined ? undefined : matchPath(route.parts, parts);
    if (found === undefined) continue;
    isPath = true;
    if (route.method !== method) continue;
    const body = readJson(bytes);
    return route.handle({ path: found, query: new URLSearchParams(query), body }, registry);
  }
  throw isPath
    ? new RegistryError(405, 'HTTP 405 Method Not Allowed')
    : new RegistryError(404, 'HTTP 404 Not Found');
}

function cut(path: string): readonly string[] | undefined {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  try {
    return trimmed.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchPath(
  wanted: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    // The names in braces are those of the table: none comes from a client.
    if (part.startsWith('{') && text !== '') found[part.slice(1, -1)] = text;
    else if (part !== text) return undefined;
  }
  return found;
}

function readJson(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new RegistryError(400, 'The body is not JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new RegistryError(400, 'The body must be an object.');
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const bytes = Buffer.from(value instanceof RawText ? value.text : JSON.stringify(value));
  response.writeHead(status, { 'Content-Type': CONTENT_TYPE, 'Content-Length': bytes.length });
  response.end(bytes);
}
