import type { IncomingMessage } from 'node:http';
import type { Host } from '@backlot/core';
import { stalls } from '@backlot/core/plugin';
import type { Request, RequestHandler, Response } from 'express';
import { sendAnswer } from '../answer/send-answer.js';
import { replicatedAnswer } from '../replication/answer-replicated.js';
import type { Settings } from '../options.js';
import { hostOf } from './enter-space.js';
import type { ManagementRequest, ManagementRoute } from '../routes/management-route.js';

/**
 * Asks the handler of a route, and sends what it answers.
 *
 * @param find - finds another route by its name
 */
export function answerRoute(
  route: ManagementRoute,
  host: Host,
  settings: Settings,
  find: (name: string) => ManagementRoute,
): RequestHandler {
  const { replication } = settings;
  const replicated = replication === undefined ? undefined : replicatedAnswer(route, replication, find);
  return async (request, response) => {
    const asked = new RequestOfRoute(route, request, response, host);
    const acting = hostOf(request, host);
    const answer = await stalls.measure(
      () =>
        replicated === undefined
          ? route.handle(asked, acting)
          : replicated(request, response, host)(asked, acting),
      () => ({ what: `${route.method} ${route.path}`, remote: remoteOf(request) }),
    );
    await sendAnswer(request, response, answer, { pages: route.pages, query: asked.query, settings });
  };
}

/** Sends what a route answers to those who have no token. */
export function answerWithoutToken(
  route: ManagementRoute,
  answer: NonNullable<ManagementRoute['withoutToken']>,
  host: Host,
  settings: Settings,
): RequestHandler {
  return async (request, response) => {
    const asked = new RequestOfRoute(route, request, response, host);
    await sendAnswer(request, response, answer(host, asked), { settings });
  };
}

/** A request of Express as handlers of routes see it, who know nothing of Express. */
class RequestOfRoute implements ManagementRequest {
  #controller: AbortController | undefined;

  constructor(
    private readonly route: ManagementRoute,
    private readonly request: Request,
    private readonly response: Response,
    readonly main: Host,
  ) {}

  get params(): ManagementRequest['params'] {
    return this.request.params as ManagementRequest['params'];
  }

  get query(): ManagementRequest['query'] {
    return this.request.query as ManagementRequest['query'];
  }

  get body(): unknown {
    // What a parser of the application has read is nothing to a route that takes no body.
    return this.route.body === undefined ? undefined : (this.request.body as unknown);
  }

  get headers(): IncomingMessage['headers'] {
    return this.request.headers;
  }

  get mountPath(): string {
    return this.request.baseUrl.replace(/\/api$/, '');
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

function remoteOf({ socket }: IncomingMessage): string {
  const { remoteAddress = '', remotePort = 0 } = socket;
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}
