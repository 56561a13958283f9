import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf, type Upstream } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import { corsHeaders, jsonAnswer, type HttpAnswer } from '@backlot/kit/http';
import type { OwnPlace } from '@backlot/kit/http-upstream';
import { COMPARE_TIMEOUT, describeFailure, readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { Call } from '../call.js';
import { decide } from '../decide.js';
import type { HttpMessage } from '../message.js';
import { Mounts } from '../mounts.js';
import type { Origin } from '../proxy/origin.js';
import type { HttpContext, HttpMatch, HttpOutcome } from '../shape.js';
import { copyAnswer, MAX_COPY, type AnswerCopy } from './answer-copy.js';
import { answersOf, responseOf } from './answer-fields.js';
import { differencesOf } from './compare.js';
import { OriginUpstreams } from './origin-upstreams.js';
import { passAnswer } from './pass-answer.js';
import { Targets, type Target } from './targets.js';
import { matchOf, withoutSecrets, type RequestMatch } from './request-match.js';

/** What the relay needs of the server. */
export interface RelayedServer {
  /** Whether codings were taken off the body of the request. */
  readonly isDecoded: (call: Call) => boolean;
  /** Answers as without an upstream. */
  readonly answer: (call: Call, outcome: HttpOutcome) => void;
  /** Sends an answer of our own. */
  readonly send: (call: Call, answer: HttpAnswer) => void;
  /** From now on the client may leave before it is answered. */
  readonly hold: (call: Call) => void;
  /** An answer could not be made. */
  readonly fail: (call: Call, thrown: unknown) => void;
}

/** How one request goes to an upstream. */
interface Route {
  readonly target: Target;
  readonly desk: UpstreamDesk;
  readonly own: OwnPlace;
  /** What stands before the path here alone. */
  readonly mount?: string | undefined;
  /** Which mock is made of the answer; absent where none is. */
  match?: RequestMatch | undefined;
  /** Fields of that mock beside what it matches. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

/** What of an upstream its modes decide by. */
type Mode = Upstream['mode'];

const FORM = { as: 'sequence', answer: answersOf } as const;

/** Asks upstreams in the place of mocks, or beside them. */
export class Relay {
  readonly #context: HttpContext;
  readonly #upstream: Upstream | undefined;
  readonly #authorities: Buffer | undefined;
  readonly #targets: Targets;
  /** The servers of requests to the proxy. */
  readonly #origins: OriginUpstreams | undefined;
  readonly #mounts: Mounts | undefined;
  /** That of the kind's own upstream. */
  readonly #desk: UpstreamDesk | undefined;
  /** Those of single mocks, and of what a proxy passes on unseen. */
  readonly #desks = new Map<Mode, UpstreamDesk>();

  /** @param upstream - that of the kind; absent where only mocks have one, or the proxy passes something on */
  constructor(context: HttpContext, upstream: Upstream | undefined) {
    const { config } = context;
    this.#context = context;
    this.#upstream = upstream;
    this.#authorities = upstream && readAuthorities(upstream);
    this.#targets = new Targets((text) => context.log.warn(text));
    this.#origins =
      config.proxy &&
      new OriginUpstreams(config.proxy, upstream ?? { mode: 'passthrough', ca: undefined, verify: true });
    this.#mounts = config.proxy && config.mounts && new Mounts(config);
    this.#desk = upstream && new UpstreamDesk(context, upstream, { form: FORM });
  }

  /** Whether requests for a server can go there, or those for the listener itself to its upstream. */
  leads(origin: Origin | undefined): boolean {
    if (origin?.isTunnelled === true) return true;
    return this.#upstream !== undefined && (origin !== undefined || !this.#upstream.isOpen);
  }

  /** The server that a request to the proxy is for, for a kind that shares the listener. */
  serverOf(origin: Origin | undefined): Upstream | undefined {
    return origin && this.#origins?.of(origin);
  }

  /** Takes a request that the server would ask its mocks about. */
  take(call: Call, server: RelayedServer): void {
    const { message } = call.exchange;
    const route = this.leads(message.origin) ? this.#routeOf(call) : undefined;
    if (route === undefined)
      return this.#decideBy(call, server, true, (outcome) => server.answer(call, outcome));
    const { desk } = route;
    if (desk.records) route.match = matchOf(message);
    this.#decideBy(call, server, desk.asksMocks(route.match?.key), (outcome) => {
      const answerer = desk.answererOf(outcome);
      if (answerer === 'both') this.#compare(call, () => server.answer(call, outcome), server, route);
      else if (answerer === 'upstream' && !message.preflight) this.#relay(call, server, route);
      else server.answer(call, outcome);
    });
  }

  /** Takes a request that a mock with an upstream of its own answers. */
  takeMatch(call: Call, match: HttpMatch, upstream: Upstream, server: RelayedServer): void {
    const { message } = call.exchange;
    const { mode } = upstream;
    const target = this.#targets.of(upstream, undefined);
    const desk = this.#deskOf(mode, upstream);
    const { priority = 0 } = this.#context.mocks.find(match.mock.id) ?? {};
    const route: Route = {
      ...{ target, desk, own: placeAt(target, message) },
      ...(desk.records && {
        match: matchOf(message),
        // It answers before the mock that it comes from.
        rest: { priority: Number(priority) + 1 },
      }),
    };
    if (mode !== 'diff') return this.#relay(call, server, route);
    const answer = (): void => {
      call.isOwn = true;
      server.answer(call, match);
    };
    this.#compare(call, answer, server, route);
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#desk?.reset();
    for (const desk of this.#desks.values()) desk.reset();
  }

  stop(): void {
    this.#targets.stop();
  }

  #decideBy(
    call: Call,
    server: RelayedServer,
    asksMocks: boolean,
    decided: (outcome: HttpOutcome) => void,
  ): void {
    const outcome = asksMocks ? decide(call.exchange) : call.exchange.resolve({ mocks: false });
    if (!(outcome instanceof Promise)) return decided(outcome);
    server.hold(call);
    outcome.then(decided).catch((thrown: unknown) => server.fail(call, thrown));
  }

  /** @returns `undefined` where nothing is behind */
  #routeOf(call: Call): Route | undefined {
    const { message } = call.exchange;
    const { origin } = message;
    const own = this.#upstream;
    if (origin === undefined || this.#origins === undefined) {
      if (own === undefined || this.#desk === undefined) return undefined;
      const target = this.#targets.of(own, this.#authorities);
      return { target, desk: this.#desk, own: placeAt(target, message) };
    }
    const upstream = this.#origins.of(origin);
    const passes = origin.isTunnelled || own === undefined;
    const target = this.#targets.of(
      passes ? { ...upstream, mode: 'passthrough' } : upstream,
      this.#authorities,
    );
    const desk = passes || this.#desk === undefined ? this.#deskOf('passthrough', upstream) : this.#desk;
    return {
      ...{ target, desk, mount: this.#mounts?.of(call.request, call.connection.mount) },
      own: upstream.isOpen ? { ...placeAt(target, message), isSame: true } : placeAt(target, message),
    };
  }

  #deskOf(mode: Mode, upstream: Upstream): UpstreamDesk {
    let desk = this.#desks.get(mode);
    if (desk === undefined)
      this.#desks.set(mode, (desk = new UpstreamDesk(this.#context, { ...upstream, mode }, { form: FORM })));
    return desk;
  }

  /** Answers as the upstream does. */
  #relay(call: Call, server: RelayedServer, route: Route): void {
    const { request, response, exchange, connection, upgrade } = call;
    const { message } = exchange;
    const { target, own, mount } = route;
    // Whatever becomes of it, the log has the message without its secrets.
    exchange.noteUpstream({}, withoutSecrets(message, request.rawHeaders));
    let isOver = false;
    if (!connection.held.isHolding(exchange)) server.hold(call);
    const giveUp = target.forwarder.send({
      ...{ message, mount },
      rawHeaders: request.rawHeaders,
      isDecoded: server.isDecoded(call),
      upgrade:
        upgrade &&
        connection.kit.isolate((answer: IncomingMessage, far: Socket, head: Buffer) => {
          isOver = true;
          target.log.worked();
          exchange.noteUpstream({ answered: true });
          if (route.match !== undefined)
            route.desk.tell(
              exchange,
              'recorded',
              'it has switched to another protocol, which is not read here',
            );
          connection.held.forget(exchange);
          exchange.done({ status: answer.statusCode ?? 101, headers: {} });
          upgrade(answer, far, head);
        }),
      take: connection.kit.isolate((answer: IncomingMessage) => {
        target.log.worked();
        exchange.noteUpstream({ answered: true });
        passAnswer(call, answer, {
          limit: MAX_COPY,
          further: this.#context.config.cors === true ? (corsHeaders(message) ?? {}) : {},
          own,
          finish: (bytes) => this.#finish(call, answer, bytes, route),
          over: () => (isOver = true),
        });
      }),
      fail: connection.kit.isolate((error: unknown) => {
        if (isOver || response.headersSent || exchange.ended) return;
        isOver = true;
        target.log.failed(error);
        server.send(
          call,
          jsonAnswer(502, { error: `the upstream gave no answer: ${describeFailure(error)}` }),
        );
      }),
    });
    response.once('close', () => {
      if (!isOver) giveUp();
      isOver = true;
    });
  }

  /** The whole answer is there. @param bytes - absent when there were too many to keep */
  async #finish(
    { exchange }: Call,
    answer: IncomingMessage,
    bytes: Buffer | undefined,
    { own, match, rest, desk }: Route,
  ): Promise<void> {
    try {
      if (bytes === undefined) throw tooLong();
      const copy = await copyAnswer(answer, bytes, own, match !== undefined);
      if (exchange.ended) return;
      if (match !== undefined) record(desk, exchange, match, rest, copy);
      exchange.done({ status: copy.status, headers: copy.headers, body: copy.body });
    } catch (thrown) {
      desk.tell(exchange, match === undefined ? 'shown' : 'recorded', messageOf(thrown));
      if (!exchange.ended) exchange.done({ status: answer.statusCode ?? 200 });
    }
  }

  /** Answers by the mock, once it is known what the upstream would have answered. */
  #compare(call: Call, answerOwn: () => void, server: RelayedServer, { target, own, mount }: Route): void {
    const { request, response, exchange, connection } = call;
    if (!connection.held.isHolding(exchange)) server.hold(call);
    let isOver = false;
    const go = (compare: Compare): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      if (exchange.ended) return;
      call.compare = (answer) => exchange.noteUpstream({ differences: compare(answer) });
      connection.kit.isolate(() => {
        try {
          answerOwn();
        } catch (thrown) {
          server.fail(call, thrown);
        }
      })();
    };
    const fail = (error: unknown): void => {
      if (!isOver) target.log.failed(error);
      go(() => [`the upstream gave no answer: ${describeFailure(error)}`]);
    };
    const giveUp = target.forwarder.send({
      ...{ message: exchange.message, mount },
      rawHeaders: request.rawHeaders,
      isDecoded: server.isDecoded(call),
      take: (real) => {
        target.log.worked();
        readWhole(real)
          .then((bytes) => copyAnswer(real, bytes, own, true))
          .then(
            (copy) =>
              go((mocked) =>
                mocked === undefined
                  ? [notCompared('the mock gives no whole answer')]
                  : differencesOf(mocked, copy, request.method),
              ),
            (thrown: unknown) => go(() => [notCompared(`that of the upstream: ${messageOf(thrown)}`)]),
          );
      },
      fail,
    });
    const timer = timers.after(COMPARE_TIMEOUT, () => {
      giveUp();
      go(() => [`the upstream gave no whole answer within ${COMPARE_TIMEOUT / 1000} s`]);
    });
    response.once('close', () => {
      timer.cancel();
      if (!isOver) giveUp();
      isOver = true;
    });
  }
}

/** What there is to say of the answer of a mock; `undefined` for one that is a stream, or is lost. */
type Compare = (answer: HttpAnswer | undefined) => readonly string[];

function placeAt({ upstream: { path }, forwarder }: Target, message: HttpMessage): OwnPlace {
  return { path, locate: (location) => forwarder.locate(location, message) };
}

function record(
  desk: UpstreamDesk,
  exchange: Call['exchange'],
  { key, name, request, patterns }: RequestMatch,
  rest: Route['rest'],
  copy: AnswerCopy,
): void {
  // Mocks of GET answer HEAD as well, and must not do so here: a call of theirs would be used up.
  const match = { ...(request['method'] === 'HEAD' ? { priority: 1 } : {}), ...rest, request };
  desk.record(exchange, [{ key, name, match, answer: responseOf(copy) }], patterns);
}

function notCompared(reason: string): string {
  return `the answers were not compared: ${reason}`;
}

function tooLong(): Error {
  return new Error(`its body is longer than ${MAX_COPY / 1024 / 1024} MiB`);
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_COPY) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
