import type { Host } from '@backlot/core';
import {
  BacklotError,
  ERROR_STATUS,
  isBacklotError,
  messageOf,
  runInSlices,
  type ErrorCode,
  type EventSink,
  type RouteAnswer,
} from '@backlot/core/plugin';
import { pageOf } from '../answer/pages.js';
import type { OtherReplica, ReplicaAnswer, Replication } from '../replication/replication.js';
import type { ManagementRequest, ManagementRoute } from '../routes/management-route.js';
import { parseJson } from '../safety/parse-json.js';
import { readEvents } from './read-events.js';
import { Budget } from './budget.js';

/** A request of a route, as each replica is asked. */
export interface Question {
  readonly route: Pick<ManagementRoute, 'method' | 'path' | 'handle' | 'pages'>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether it may take any time until it is answered. */
  readonly waits?: true;
  readonly signal: AbortSignal;
}

/** JSON that was answered. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Passes on events.
 *
 * @param ended - called when they end by themselves
 * @returns ends it
 */
export type Passing = (sink: EventSink, ended: () => void) => () => void;

/** A replica that is asked: this one or another. */
export interface Target {
  readonly name: string;
  readonly session: string;
  /**
   * Asks for JSON.
   *
   * @param budget - takes the bytes that are read
   * @throws BacklotError `unavailable` when it does not answer, which names it; `too_large`
   */
  ask(question: Question, budget: Budget): Promise<JsonAnswer>;
  /** Asks for what may be no JSON. @throws BacklotError what it answers */
  pass(question: Question, budget: Budget): Promise<RouteAnswer>;
  /** Asks for a stream of events. @returns begins to pass them on; while nobody has begun they wait. @throws BacklotError what it answers */
  open(question: Question): Promise<Passing>;
}

/** Those that are asked: this one first. @throws BacklotError `unavailable` when it is not known which there are */
export async function targetsOf(
  replication: Replication,
  asked: ManagementRequest,
  acting: Host,
): Promise<readonly Target[]> {
  const others = await replication.others();
  const space = acting === asked.main ? undefined : acting.space;
  return [new OwnTarget(replication, asked, acting), ...others.map((other) => new OtherTarget(other, space))];
}

class OwnTarget implements Target {
  readonly name: string;
  readonly session: string;

  constructor(
    { name, session }: Replication,
    private readonly asked: ManagementRequest,
    private readonly acting: Host,
  ) {
    this.name = name;
    this.session = session;
  }

  async ask(question: Question): Promise<JsonAnswer> {
    const { route, query, signal } = question;
    try {
      const answer = await this.#answer(question);
      if ('list' in answer) {
        const items = await runInSlices(collect(await pageOf(answer, route.pages, query, signal)), signal);
        const { within } = answer;
        return {
          status: 200,
          body: within === undefined ? items : { ...within.fields, [within.name]: items },
        };
      }
      if ('body' in answer) return { status: answer.status ?? 200, body: answer.body };
    } catch (thrown) {
      if (!isBacklotError(thrown)) throw thrown;
      const { status, message, details, fields } = thrown;
      return { status, body: { error: message, ...(details === undefined ? {} : { details }), ...fields } };
    }
    throw new Error(`${route.method} ${route.path} answers no JSON`);
  }

  async pass(question: Question): Promise<RouteAnswer> {
    return await this.#answer(question);
  }

  async open(question: Question): Promise<Passing> {
    const answer = await this.#answer(question);
    if (!('events' in answer)) throw new Error(`${question.route.path} gives no events`);
    return (sink, ended) =>
      answer.events({
        get ready() {
          return sink.ready;
        },
        send: (event) => sink.send(event),
        comment: () => undefined,
        end: ended,
        onReady: (callback) => sink.onReady(callback),
      });
  }

  async #answer({ route, params, query, body, signal }: Question): Promise<RouteAnswer> {
    const { mountPath, main } = this.asked;
    // Where a reader of all has read to is no place in what one has.
    const headers = { ...this.asked.headers, 'last-event-id': undefined };
    return await route.handle({ params, query, body, signal, headers, mountPath, main }, this.acting);
  }
}

function* collect(items: Iterable<unknown>): Generator<undefined, readonly unknown[]> {
  const found: unknown[] = [];
  for (const item of items) {
    found.push(item);
    yield;
  }
  return found;
}

class OtherTarget implements Target {
  readonly name: string;
  readonly session: string;

  constructor(
    private readonly other: OtherReplica,
    private readonly space: string | undefined,
  ) {
    this.name = other.name;
    this.session = other.session;
  }

  async ask(question: Question, budget: Budget): Promise<JsonAnswer> {
    const answer = await this.#send(question);
    const body = await this.#read(question, answer, budget);
    return { status: answer.status, body: await parseJson(body) };
  }

  async pass(question: Question, budget: Budget): Promise<RouteAnswer> {
    const answer = await this.#send(question);
    const bytes = await this.#read(question, answer, budget);
    const { 'content-type': contentType = '', 'content-disposition': disposition } = answer.headers;
    if (answer.status < 300 && !contentType.startsWith('application/json'))
      return {
        bytes,
        contentType,
        ...(disposition === undefined ? {} : { headers: { 'Content-Disposition': disposition } }),
      };
    const body = await parseJson(bytes);
    if (answer.status >= 300) throw errorOf({ status: answer.status, body });
    return { status: answer.status, body };
  }

  async open(question: Question): Promise<Passing> {
    const answer = await this.#send(question, 'events');
    if (answer.status !== 200)
      throw errorOf({
        status: answer.status,
        body: await parseJson(await this.#read(question, answer, new Budget())),
      });
    return (sink, ended) => readEvents(answer.body, sink, ended);
  }

  async #send(
    { route, params, query, body, waits, signal }: Question,
    events?: 'events',
  ): Promise<ReplicaAnswer> {
    const whatWaits = waits === true ? 'answer' : events;
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const search = new URLSearchParams({ ...query, consistency: 'local' }).toString();
    return await this.other.ask({
      ...{ method: route.method, path: `${path}?${search}`, signal },
      ...(body === undefined ? {} : { body }),
      ...(whatWaits === undefined ? {} : { waits: whatWaits }),
      ...(this.space === undefined ? {} : { space: this.space }),
    });
  }

  async #read({ signal }: Question, { body }: ReplicaAnswer, budget: Budget): Promise<Buffer> {
    const parts: Buffer[] = [];
    try {
      for await (const part of body) {
        budget.take((part as Buffer).length);
        parts.push(part as Buffer);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (isBacklotError(thrown)) throw thrown;
      throw new BacklotError(
        'unavailable',
        `the replica "${this.name}" did not end its answer: ${messageOf(thrown)}`,
        { cause: thrown, fields: { replica: this.name } },
      );
    }
    return Buffer.concat(parts);
  }
}

const CODES = new Map<number, ErrorCode>(
  Object.entries(ERROR_STATUS)
    .toReversed()
    .map(([code, status]) => [status, code as ErrorCode] as const),
);

/** The error that a replica has answered. */
export function errorOf({ status, body }: JsonAnswer): BacklotError {
  const { error, details, ...fields } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const code = status === 408 ? 'timeout' : status === 409 ? 'cancelled' : (CODES.get(status) ?? 'internal');
  return new BacklotError(code, typeof error === 'string' ? error : `status ${status}`, {
    ...(Array.isArray(details) ? { details: details as NonNullable<BacklotError['details']> } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  });
}
