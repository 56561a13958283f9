import { corsHeaders, HttpAnswer } from '@backlot/kit/http';
import { LaterParts } from './answer/later-parts.js';
import type { PartedAnswer } from './answer/parted-answer.js';
import { Subscription } from './answer/subscription.js';
import type { Document, Operation } from './document/operation.js';
import type { HttpCall } from './http-call.js';
import type { SchemaEngine } from './schema/engine.js';
import type { Settings } from './settings.js';
import type { GraphqlContext, GraphqlExchange, GraphqlMatch } from './shape.js';
import { ReservedStreams, tokenOf } from './wire/reserved-streams.js';
import { eventReplier } from './wire/event-replier.js';
import { EVENTS, incrementalParts, SUBSCRIPTION_PARTS, type Framing } from './wire/framing.js';
import type { GraphqlRequest } from './wire/graphql-request.js';
import { OwnChannel, type ResultChannel } from './wire/result-channel.js';

/** Why a request is refused. */
interface Refusal {
  readonly status: number;
  readonly message: string;
}

const UNKNOWN_TOKEN: Refusal = { status: 404, message: 'the event stream of this token is not known' };

/** Several results for one request over HTTP: subscriptions, and what `@defer` and `@stream` put off. */
export class HttpDelivery {
  readonly #context: GraphqlContext;
  readonly #settings: Settings;
  readonly #engine: SchemaEngine | undefined;
  readonly #events: ReservedStreams;
  readonly #subscriptions = new Set<Subscription>();

  constructor(context: GraphqlContext, settings: Settings, engine: SchemaEngine | undefined) {
    this.#context = context;
    this.#settings = settings;
    this.#engine = engine;
    this.#events = new ReservedStreams((part) => context.random('event-stream', part));
  }

  /** Ends the open subscriptions, and then the event streams that clients have reserved. */
  end(): void {
    for (const each of [...this.#subscriptions]) each.close(undefined);
    this.#events.end();
  }

  /**
   * Takes a request about an event stream for all operations: reserves one (PUT), opens it (GET), or ends an operation of it
   * (DELETE).
   *
   * @param send - sends an answer
   * @returns whether it was such a request
   */
  takeRequest(
    { head, reply, connection, accepted }: HttpCall,
    send: (answer: HttpAnswer) => void,
    refuse: (refusal: Refusal) => void,
  ): boolean {
    const { method } = head;
    if (method === 'PUT') {
      const token = this.#events.reserve();
      if (token === undefined) refuse({ status: 503, message: 'too many event streams are open already' });
      else
        send(
          new HttpAnswer(
            201,
            { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': token.length },
            token,
          ),
        );
      return true;
    }
    const named = this.#named(head);
    if (named === undefined || (method !== 'DELETE' && (method !== 'GET' || !accepted.events))) return false;
    if ('status' in named) refuse(named);
    else if (method === 'GET') {
      if (named.writer !== undefined) refuse({ status: 409, message: 'the event stream is open already' });
      else this.#events.open(head, named, reply, connection, this.#further(head));
    } else {
      const { url = '' } = head;
      const id = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('operationId');
      if (id === null) refuse({ status: 400, message: 'the url has no operationId' });
      else {
        named.channels.get(id)?.close(false);
        send(new HttpAnswer(200, { 'Content-Length': 0 }));
      }
    }
    return true;
  }

  /**
   * Finds out whether the client takes events alone, so that all it is told about the operation is one. Gives the call back
   * with that.
   */
  throughEvents(call: HttpCall, { extensions }: GraphqlRequest): HttpCall | Refusal {
    const { accepted, reply, connection, head } = call;
    const named = this.#named(head);
    if (named !== undefined && 'status' in named) return named;
    let channel: ResultChannel;
    if (named !== undefined) {
      const shared = named.channel(extensions?.['operationId'], reply);
      if (typeof shared === 'string') return { status: 400, message: shared };
      reply.onClose(() => {
        // It was answered in another way, such as by a fault.
        if (!shared.isOpen) shared.close(true);
      });
      channel = shared;
    } else if (accepted.eventsAlone) channel = new OwnChannel(reply, connection, EVENTS, this.#further(head));
    else return call;
    return { ...call, type: 'application/json', channel, reply: eventReplier(reply, channel) };
  }

  /** Finds out how several results of an operation go to the client. Gives the call back with that. */
  prepare(
    call: HttpCall,
    operation: Operation,
    { text, isIncremental }: Document,
    { variables = {} }: GraphqlRequest,
  ): HttpCall {
    const { accepted, reply, connection, head, channel } = call;
    const make = (framing: Framing): ResultChannel =>
      new OwnChannel(reply, connection, framing, this.#further(head));
    if (operation.type === 'subscription') {
      if (channel !== undefined) return call;
      const framing = accepted.events ? EVENTS : accepted.subscriptionParts ? SUBSCRIPTION_PARTS : undefined;
      return framing === undefined ? call : { ...call, channel: make(framing) };
    }
    const format = channel === undefined ? accepted.incrementalParts : 'v0.2';
    if (format === undefined || !isIncremental) return call;
    const way = channel ?? make(incrementalParts(format));
    return { ...call, incremental: { format, channel: way, text, name: operation.name, variables } };
  }

  /** Opens a subscription. */
  subscribe(
    { plan }: HttpCall,
    channel: ResultChannel,
    exchange: GraphqlExchange,
    match: GraphqlMatch,
  ): void {
    const engine = this.#engine;
    const writer = channel.open();
    const subscription = new Subscription({
      context: this.#context,
      exchange,
      match,
      writer,
      head: { status: channel.head.status, headers: channel.head.headers },
      complete: plan && engine && ((given) => engine.event(plan, given)),
      frame: channel.framing.result,
      onEnd: (failure) => {
        this.#subscriptions.delete(subscription);
        if (failure !== undefined) writer.write(channel.framing.failure([failure]));
        channel.end();
      },
    });
    this.#subscriptions.add(subscription);
    channel.onClose((isGone) => {
      this.#subscriptions.delete(subscription);
      subscription.leave(isGone);
    });
    subscription.start();
  }

  /** Sends an answer of which parts were put off. */
  sendParts(
    channel: ResultChannel,
    exchange: GraphqlExchange,
    answer: PartedAnswer,
    match: GraphqlMatch | undefined,
  ): void {
    new LaterParts({ context: this.#context, channel, exchange, answer, match }).start();
  }

  /** The event stream that a request names; in the url something else may have the name. */
  #named(head: HttpCall['head']): ReturnType<ReservedStreams['find']> | Refusal {
    const token = tokenOf(head);
    if (token === undefined) return undefined;
    return this.#events.find(token.text) ?? (token.isHeader ? UNKNOWN_TOKEN : undefined);
  }

  #further(head: HttpCall['head']): Readonly<Record<string, string>> {
    return (this.#settings.hasCors ? corsHeaders(head) : undefined) ?? {};
  }
}
