import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host } from '@backlot/core';
import { BacklotError, invalid, stalls, type RouteRequest } from '@backlot/core/plugin';
import { sendAnswer } from './answer/send-answer.js';
import { asError, sendError } from './answer/send.js';
import { checkBody, checkParams, checkQuery } from './check-request.js';
import type { Settings } from './options.js';
import type { RouteTable } from './route-table.js';
import { listNames, type ManagementRoute } from './routes/management-route.js';
import { createGuard } from './safety/guard.js';
import { checkPageLoad } from './safety/page-load.js';
import { parseJson } from './safety/parse-json.js';
import { checkBodyHeaders, dropRest, expectsContinue, hasBody, readBody } from './safety/read-body.js';
import { setSafeHeaders } from './safety/safe-headers.js';
import { parseQuery, parseTarget, splitPath } from './safety/request-target.js';

/** Answers a request; never rejects. */
export type Dispatch = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes the function that answers every request below `/api`, and every other one with 404. */
export function createDispatcher(host: Host, table: RouteTable, settings: Settings): Dispatch {
  const guard = createGuard(settings);

  return async (request, response) => {
    const path = request.url ?? '/';
    setSafeHeaders(response);
    try {
      const target = parseTarget(path);
      const admission = guard.checkSender(request, target.authority);
      for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
      if (admission.isPreflight) {
        sendNothing(response);
        return;
      }
      const segments = splitPath(target.path);
      const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
      const found = table.find(method, segments);
      const refusal = guard.tokenProblem(request);
      if (refusal !== undefined && !('route' in found && found.route.withoutToken !== undefined))
        throw refusal;
      if (!('route' in found)) {
        sendNoRoute(request, response, found.allowed, describeMissing(host, segments));
        return;
      }
      const { route, params } = found;
      checkPageLoad(request, route, settings.allowedOrigins);
      if (refusal !== undefined && route.withoutToken !== undefined) {
        await sendAnswer(request, response, route.withoutToken(host), { settings });
        return;
      }
      checkBodyHeaders(request, settings.maxBodyBytes);
      checkParams(route, params);
      const query = checkQuery(route, parseQuery(target.search));
      const body = await takeBody(request, response, route, settings.maxBodyBytes);
      const answer = await stalls.measure(
        () => route.handle(new HandlerRequest(request, response, params, query, body), host),
        () => ({ what: `${route.method} ${route.path}`, remote: remoteOf(request) }),
      );
      await sendAnswer(request, response, answer, { pages: route.pages, query, settings });
    } catch (thrown) {
      refuse(request, response, thrown, settings, path);
    }
  };
}

function remoteOf({ socket }: IncomingMessage): string {
  const { remoteAddress = '', remotePort = 0 } = socket;
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

class HandlerRequest implements RouteRequest {
  #controller: AbortController | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    readonly params: RouteRequest['params'],
    readonly query: RouteRequest['query'],
    readonly body: unknown,
  ) {}

  get headers(): IncomingMessage['headers'] {
    return this.request.headers;
  }

  // Made when it is first asked for: most handlers answer at once.
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.response.destroyed) controller.abort();
      this.response.on('close', () => {
        if (!this.response.writableFinished) controller.abort();
      });
    }
    return this.#controller.signal;
  }
}

async function takeBody(
  request: IncomingMessage,
  response: ServerResponse,
  route: ManagementRoute,
  most: number,
): Promise<unknown> {
  if (route.body === undefined) return undefined;
  const body = await readJson(request, response, most);
  if (body === undefined) {
    if (route.bodyOptional === true) return undefined;
    throw invalid('the body is empty; send a JSON value');
  }
  if (route.hostChecksBody !== true) checkBody(route.body, body);
  return body;
}

async function readJson(request: IncomingMessage, response: ServerResponse, most: number): Promise<unknown> {
  // In a larger application a parser before this router may have read the body.
  const parsed = (request as { body?: unknown }).body;
  if (request.readableEnded && parsed !== undefined)
    return Buffer.isBuffer(parsed) ? await parseJson(parsed) : parsed;
  if (!hasBody(request)) return undefined;
  const bytes = await readBody(request, response, most);
  return bytes.length === 0 ? undefined : await parseJson(bytes);
}

function sendNothing(response: ServerResponse): void {
  response.statusCode = 204;
  response.end();
}

function sendNoRoute(
  request: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
  missing: string,
): void {
  if (allowed.length === 0) throw new BacklotError('not_found', missing);
  const methods = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  response.setHeader('Allow', methods.join(', '));
  if (request.method === 'OPTIONS') {
    sendNothing(response);
    return;
  }
  throw new BacklotError(
    'method_not_allowed',
    `${request.method ?? ''} is not possible here; possible are ${listNames(methods)}`,
  );
}

function describeMissing(host: Host, segments: readonly string[]): string {
  const [, group = '', kind = ''] = segments;
  const kinds = host.kinds.map((installed) => installed.kind);
  const isByKind = ['mocks', 'calls', 'fault', 'explain'].includes(group);
  if (isByKind && kind !== '' && !kinds.includes(kind)) {
    return `protocol ${quote(kind)} is not installed; installed are ${listNames(kinds)}`;
  }
  return `there is no ${quote(`/${segments.join('/')}`)}; GET /api/docs lists what there is`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
  settings: Settings,
  path: string,
): void {
  const { error, isInternal } = asError(thrown);
  if (isInternal) settings.onError(thrown, { method: request.method ?? '', path });
  if (response.destroyed) return;
  // Whether the body still comes is up to the client then, so the next request could not be told from it.
  if (expectsContinue(request) && !request.complete) response.shouldKeepAlive = false;
  sendError(response, error);
  dropRest(request);
}
