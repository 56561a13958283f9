import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Host } from '@backlot/core';
import type { ListenAddress } from '@backlot/core/plugin';
import { createStreamServer } from '@backlot/kit';
import { Proxies, ToxiproxyError } from './proxies.js';

/** The version of Toxiproxy whose interface this is. */
const VERSION = '2.12.0';
const MAX_BODY = 1024 * 1024;
const IDLE_TIMEOUT = 120_000;

/** What is answered to a request. */
interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** The port on which clients of Toxiproxy drive the toxics of a host. */
export interface ToxiproxyPort {
  /** @throws BacklotError `port_in_use` when the port is taken */
  start(): Promise<ListenAddress>;
  stop(grace: number): Promise<void>;
}

/** Makes the HTTP interface of Toxiproxy over the toxics of a host; it listens once it is started. */
export function createToxiproxyPort(
  host: Host,
  where: ListenAddress,
  onError: (text: string) => void,
): ToxiproxyPort {
  const proxies = new Proxies(host);
  const server = http.createServer((request, response) => {
    void answer(proxies, request, response, onError);
  });
  const port = createStreamServer({
    ...where,
    limits: { idleTimeout: IDLE_TIMEOUT },
    onConnection: (connection) => connection.handOver(server, { halfOpen: true }),
    onFailure: (error) => onError(`the port of Toxiproxy is gone: ${error.message}`),
  });
  return {
    async start() {
      const place = await port.start();
      server.emit('listening');
      return place;
    },
    async stop(grace) {
      server.close(() => undefined);
      await port.stop(grace);
    },
  };
}

async function answer(
  proxies: Proxies,
  request: IncomingMessage,
  response: ServerResponse,
  onError: (text: string) => void,
): Promise<void> {
  let given: Answer;
  try {
    given = await route(proxies, request);
  } catch (thrown) {
    const status = thrown instanceof ToxiproxyError ? thrown.status : 500;
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    if (status === 500) onError(`Toxiproxy: ${request.method ?? ''} ${request.url ?? ''} failed: ${error}`);
    given = { status, body: { error, status } };
  }
  if (response.destroyed) return;
  const { status, body } = given;
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function route(proxies: Proxies, request: IncomingMessage): Promise<Answer> {
  refusePages(request);
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const steps = pathname.split('/').slice(1).map(decoded);
  // Go's client and the documentation change by PATCH, older clients by POST.
  const method = request.method === 'PATCH' ? 'POST' : (request.method ?? 'GET');
  const [first, name = '', third, toxic = ''] = steps;
  const at = `${method} ${steps.length} ${first ?? ''}${third === undefined ? '' : `/${third}`}`;
  switch (at) {
    case 'GET 1 version':
      return { status: 200, body: { version: VERSION } };
    case 'GET 1 proxies':
      return { status: 200, body: proxies.all() };
    case 'POST 1 proxies':
      return { status: 201, body: proxies.create(await readJson(request)) };
    case 'POST 1 populate':
      return { status: 201, body: { proxies: proxies.populate(await readJson(request)) } };
    case 'POST 1 reset':
      proxies.reset();
      return { status: 204 };
    case 'GET 2 proxies':
      return { status: 200, body: proxies.get(name) };
    case 'POST 2 proxies':
      return { status: 200, body: proxies.update(name, await readJson(request)) };
    case 'DELETE 2 proxies':
      proxies.remove(name);
      return { status: 204 };
    case 'GET 3 proxies/toxics':
      return { status: 200, body: proxies.toxics(name) };
    case 'POST 3 proxies/toxics':
      return { status: 200, body: proxies.addToxic(name, await readJson(request)) };
    case 'GET 4 proxies/toxics':
      return { status: 200, body: proxies.toxic(name, toxic) };
    case 'POST 4 proxies/toxics':
      return { status: 200, body: proxies.updateToxic(name, toxic, await readJson(request)) };
    case 'DELETE 4 proxies/toxics':
      proxies.removeToxic(name, toxic);
      return { status: 204 };
    default:
      throw new ToxiproxyError(
        404,
        `there is no ${request.method ?? ''} ${pathname} in the API of Toxiproxy`,
      );
  }
}

/** A page in a browser must not change anything: Toxiproxy itself refuses what names itself a browser. */
function refusePages({ headers }: IncomingMessage): void {
  if (headers.origin !== undefined || headers['user-agent']?.startsWith('Mozilla/') === true)
    throw new ToxiproxyError(403, 'browsers are refused here; use the management API');
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    throw new ToxiproxyError(400, `"${step}" is not a part of a path: write % as %25`);
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > MAX_BODY) throw new ToxiproxyError(413, `the body is larger than ${MAX_BODY} bytes`);
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    throw new ToxiproxyError(400, 'bad request body: not JSON');
  }
}
