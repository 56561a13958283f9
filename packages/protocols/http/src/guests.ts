import type { IncomingMessage } from 'node:http';
import { AnswerStream, type GuestRequest, type GuestServer, type HttpGuest } from '@backlot/kit/http';
import { DecodedCodings } from './decoded-codings.js';
import { loseAnswer, truncateAnswer } from './fault.js';
import type { HttpMessage } from './message.js';
import type { HttpContext } from './shape.js';
import type { HttpConnection } from './wire/connection.js';
import { http2StreamOf, sendAnswer, sendHead, type Incoming, type Outgoing } from './wire/outgoing.js';

/** The kinds that share the listener: they are handed what no mock of this kind takes. */
export class Guests {
  readonly #context: HttpContext;
  readonly #decoded: DecodedCodings;
  /** By name, so that it does not matter which one came first. */
  #guests: readonly HttpGuest[] = [];

  constructor(context: HttpContext) {
    this.#context = context;
    this.#decoded = new DecodedCodings(context.config);
  }

  admit(guest: HttpGuest): void {
    this.#guests = [...this.#guests, guest].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }

  /** @returns whether a guest answers the request */
  takeRequest(
    request: Incoming,
    response: Outgoing,
    connection: HttpConnection,
    message: HttpMessage,
  ): boolean {
    const head = request as IncomingMessage;
    const guest = this.#guests.find((one) => one.takesRequest?.(head) === true);
    if (guest?.request === undefined || this.#context.mocks.matches(message)) return false;
    const given: GuestRequest = {
      head,
      connection: connection.kit,
      body: message.body,
      isDecoded: this.#decoded.takesAll(request),
      send: (answer) => sendAnswer(request, response, answer),
      stream: (answer) => {
        sendHead(request, response, answer);
        return new AnswerStream(response);
      },
      truncate: (answer, bytes) => truncateAnswer(request, response, answer, bytes, connection),
      lose: (form, random) => loseAnswer(request, connection, form, random),
      get hasBegun() {
        return response.headersSent;
      },
      onClose: (listener) => void response.once('close', listener),
    };
    guest.request(given);
    return true;
  }

  /** Whether one of them leads requests on to the servers that they are for. */
  get leadOn(): boolean {
    return this.#guests.some(({ leadsOn }) => leadsOn === true);
  }

  /** @returns whether a guest takes the stream of a request, whose body is not awaited */
  takeStream(
    request: Incoming,
    { kit }: HttpConnection,
    makeMessage: () => HttpMessage,
    findServer: () => GuestServer | undefined,
  ): boolean {
    const stream = http2StreamOf(request);
    if (stream === undefined) return false;
    const head = request as IncomingMessage;
    const guest = this.#guests.find((one) => one.takesStream?.(head) === true);
    if (guest?.stream === undefined || this.#context.mocks.matches(makeMessage())) return false;
    // Node's own answer would send its trailers, of which it has none.
    stream.removeAllListeners('wantTrailers');
    guest.stream(stream, request.headers, kit, findServer());
    return true;
  }

  /** The guest that takes an upgrade to WebSocket; `undefined` when none does, or a mock of this kind. */
  forUpgrade(
    request: IncomingMessage,
    connection: HttpConnection,
    makeMessage: () => HttpMessage,
  ): HttpGuest | undefined {
    let surest = 0;
    let chosen: HttpGuest | undefined;
    for (const guest of this.#guests) {
      const claim = guest.claimUpgrade?.(request, connection.kit) ?? 0;
      if (claim <= surest) continue;
      surest = claim;
      chosen = guest;
    }
    return chosen !== undefined && this.#context.mocks.matches(makeMessage()) ? undefined : chosen;
  }
}
