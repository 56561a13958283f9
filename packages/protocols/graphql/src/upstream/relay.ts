import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { runInSlices, type Upstream } from '@backlot/core/plugin';
import { bytesOf, corsHeaders, HttpAnswer, jsonAnswer } from '@backlot/kit/http';
import type { Connection } from '@backlot/kit';
import { Forwarder, passUpgrade } from '@backlot/kit/http-upstream';
import {
  readAuthorities,
  redactJsonSteps,
  relayMessage,
  UpstreamDesk,
  type OutcomeOf,
} from '@backlot/kit/upstream';
import type { HttpCall } from '../http-call.js';
import type { GraphqlMessage } from '../message.js';
import { readSettings, type Settings } from '../settings.js';
import type { GraphqlContext, GraphqlExchange } from '../shape.js';
import { fetchAnswer, type Fetched, type UpstreamAnswer } from './fetch-answer.js';
import { differencesOf, shownOf } from './compared.js';
import { keepResult, responseOf } from './kept-answer.js';
import { matchOf, type OperationMatch } from './operation-match.js';
import type { GraphqlSocket } from '../socket/graphql-socket.js';
import { SocketRelay } from './socket-relay.js';
import { withoutSecrets } from './without-secrets.js';

/** An operation over HTTP on its way. */
export interface RelayedOperation {
  readonly call: HttpCall;
  readonly exchange: GraphqlExchange;
  /** Whether no mock is asked. */
  readonly isUpstreams: boolean;
  /** Answers without the upstream, and ends the exchange. */
  readonly answer: (outcome: OutcomeOf<GraphqlExchange>) => void;
}

/** An answer of the upstream, and its body without secrets. */
interface Read extends UpstreamAnswer {
  readonly shown: string;
}

/** Asks an upstream in the place of mocks, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;
  readonly #settings: Settings;
  readonly #forwarder: Forwarder;

  constructor(context: GraphqlContext, upstream: Upstream) {
    this.upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.#settings = readSettings(context.config);
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: responseOf },
      keepsState: true,
    });
    this.#forwarder = new Forwarder({ ...upstream, path: '' }, { decodes: true });
  }

  /** Takes an operation. @returns a promise that resolves when it is answered */
  take({ call, exchange, isUpstreams, answer }: RelayedOperation): Promise<void> {
    const { message } = exchange;
    const match = this.matchOf(message);
    return relayMessage<Read, GraphqlExchange>(this.desk, {
      exchange,
      key: match?.key,
      isUpstreams,
      isEndless: message.method === 'subscription',
      kept: () => withoutSecrets(message),
      forward: async (passes) =>
        this.#read(await fetchAnswer(this.#forwarder, this.#request(call, passes, exchange))),
      pass: (read) => this.#give(call, read),
      refuse: (problem) => this.#refuse(call, problem),
      keep: ({ status, type, shown, body, isGiven }) => {
        const unrecorded =
          isGiven || body === undefined ? 'it comes in parts, or is longer than 2 MiB' : undefined;
        return keepResult({ status, headers: { 'content-type': type }, body: shown, unrecorded }, match);
      },
      answer: (outcome, compare) => {
        if (compare !== undefined)
          call.compare = (made) => {
            if (made !== undefined) compare(mockedOf(made));
          };
        answer(outcome);
      },
      differences: (mocked, real) =>
        differencesOf(
          { status: mocked.status, body: mocked.shown },
          { status: real.status, body: real.shown },
        ),
    });
  }

  /** Passes a request on that is no operation, or none that can be read, and what it is answered. */
  pass(call: HttpCall): void {
    const { connection } = call;
    connection.busy();
    void fetchAnswer(this.#forwarder, { ...this.#request(call, true), isUnread: true })
      .then(
        () => this.desk.upstreamLog.worked(),
        connection.isolate((thrown: Error) => {
          if (call.reply.hasBegun) return;
          this.desk.upstreamLog.failed(thrown);
          this.#refuse(call, new Error(`the upstream gave no answer: ${thrown.message}`));
        }),
      )
      .finally(() => connection.idle());
  }

  /** Makes what a recording of an operation asks of it; `undefined` where it has none. */
  matchOf(message: GraphqlMessage): OperationMatch | undefined {
    return this.desk.records && message.method !== 'subscription' ? matchOf(message) : undefined;
  }

  /** What passes on what a client says by WebSocket. */
  relayOf(socket: GraphqlSocket): SocketRelay {
    return new SocketRelay(this, socket, this.#settings.maxBody);
  }

  /** Passes an upgrade on whose messages are not read. */
  passUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, connection: Connection): void {
    const target = this.targetOf(request.url ?? '/');
    const passed = { request, socket, head, connection, target };
    passUpgrade(passed, this.upstream, this.authorities, this.desk.upstreamLog);
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.desk.reset();
  }

  stop(): void {
    this.#forwarder.stop();
  }

  /** Where the upstream has what clients ask for here: GraphQL at the path of its url. */
  targetOf(url: string): string {
    const [path = '', search] = url.split(/\?(.*)/s, 2);
    const { path: endpoint } = this.upstream;
    const there = endpoint !== '' && path === this.#settings.path ? endpoint : path;
    return search === undefined ? there : `${there}?${search}`;
  }

  #request(
    { head, arrived, connection, reply }: HttpCall,
    passes: boolean,
    exchange?: GraphqlExchange,
  ): Fetched {
    const { method = 'GET', url = '/', rawHeaders } = head;
    const target = this.targetOf(url);
    return {
      request: { method, path: target.split('?', 1)[0] ?? '', target, body: arrived?.body },
      rawHeaders,
      isDecoded: arrived?.isDecoded ?? false,
      reply: arrived?.reply ?? reply,
      passes,
      further: (this.#settings.hasCors ? corsHeaders(head) : undefined) ?? {},
      isolate: (callback) => connection.isolate(callback),
      onStart: ({ status, headers }) => {
        exchange?.noteUpstream({ answered: true });
        exchange?.started({ status, headers: { 'content-type': String(headers['content-type'] ?? '') } });
      },
    };
  }

  async #read(answer: UpstreamAnswer): Promise<Read> {
    const bytes = answer.body ?? (answer.isGiven ? answer.bytes : Buffer.alloc(0));
    const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
    return { ...answer, shown: await runInSlices(redactJsonSteps(text)) };
  }

  #give({ arrived, reply }: HttpCall, { status, headers, bytes, isGiven }: Read): void {
    if (isGiven) return;
    const made = new HttpAnswer(status, headers, bytes);
    (arrived?.reply ?? reply).send(made.withHeaders({ 'Content-Length': String(bytes.length) }));
  }

  #refuse({ arrived, reply, head }: HttpCall, { message }: Error): void {
    const to = arrived?.reply ?? reply;
    if (to.hasBegun) return;
    const further = this.#settings.hasCors ? corsHeaders(head) : undefined;
    to.send(jsonAnswer(502, { errors: [{ message }] }).withHeaders(further ?? {}));
  }
}

function mockedOf(answer: HttpAnswer): Read {
  const { status, headers } = answer;
  const bytes = bytesOf(answer);
  const shown = shownOf(bytes.toString('utf8'));
  return { status, headers, type: '', bytes, body: bytes, isGiven: false, shown };
}
