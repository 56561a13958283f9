import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '@backlot/kit';
import {
  announcesTooMuch,
  codingsOf,
  Http1Replier,
  isPreflight,
  readDecodedBody,
  refuseLargeBody,
  type ContentCoding,
  type DecodeFailure,
  type GuestRequest,
} from '@backlot/kit/http';
import type { Arrived, HttpCall as Call } from './http-call.js';
import type { HttpDelivery } from './http-delivery.js';
import type { HttpHandler } from './http-handler.js';
import type { HttpSender } from './http-sender.js';
import type { Settings } from './settings.js';
import type { Relay } from './upstream/relay.js';
import { readAccepted } from './wire/accepted.js';
import {
  readDocumentRequest,
  readJsonRequest,
  readSearch,
  RequestProblem,
  type GraphqlRequest,
} from './wire/graphql-request.js';
import { chooseMediaType, readBodyType } from './wire/media-type.js';
import { readUploadRequest } from './wire/upload-request.js';

const NO_BYTES = Buffer.alloc(0);
const TOO_LARGE: DecodeFailure = { status: 413 };

/** Reads requests over HTTP up to what they ask for. */
export class HttpIntake {
  readonly #settings: Settings;
  readonly #sender: HttpSender;
  readonly #delivery: HttpDelivery;
  readonly #handler: HttpHandler;
  readonly #relay: Relay | undefined;

  /**
   * @param handler - answers what a request asks for
   * @param relay - asks the upstream, where there is one
   */
  constructor(
    settings: Settings,
    sender: HttpSender,
    delivery: HttpDelivery,
    handler: HttpHandler,
    relay: Relay | undefined,
  ) {
    this.#relay = relay;
    this.#settings = settings;
    this.#sender = sender;
    this.#delivery = delivery;
    this.#handler = handler;
  }

  /** Takes one request. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, connection: Connection): void => {
    const call = makeCall(request, new Http1Replier(response, connection), connection);
    this.#route(call, (search) => this.#readBody(call, request, response, search));
  };

  /** Takes one request that came to the listener of another kind, which has read its body. */
  readonly takeOver = (request: GuestRequest): void => {
    const { head, connection, body = NO_BYTES, isDecoded } = request;
    const call = makeCall(head, request, connection);
    this.#route(call, (search) => {
      if (body.length > this.#settings.maxBody)
        return this.#sender.send(call, this.#sender.bodyRefusal(call, TOO_LARGE));
      const codings = isDecoded ? (codingsOf(head.headers) ?? []) : [];
      this.#takeBody(call, codings, search, (take) => take(body));
    });
  };

  /** @param takeBody - reads the body, and what it asks for by what follows the path; without that it is passed on as it is */
  #route(call: Call, takeBody: (search: string | undefined) => void): void {
    const { url = '/', method, headers } = call.head;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const search = mark < 0 ? '' : url.slice(mark + 1);
    const relay = this.#relay;
    if (path !== this.#settings.path) {
      if (relay !== undefined) return takeBody(undefined);
      const text = `nothing is served at ${path}; GraphQL is at ${this.#settings.path}`;
      return this.#sender.refuse(call, 404, text);
    }
    if (method === 'POST') return takeBody(search);
    if (relay !== undefined && !isQuery(call, search, this.#settings)) return takeBody(undefined);
    const isTaken = this.#delivery.takeRequest(
      call,
      (answer) => this.#sender.send(call, answer),
      ({ status, message }) => this.#sender.refuse(call, status, message),
    );
    if (isTaken) return;
    if (method === 'GET') {
      if (relay !== undefined) call.arrived = { isDecoded: false, reply: call.reply };
      return this.#take(call, () => readSearch(search), url.length);
    }
    if (this.#settings.hasCors && isPreflight(method ?? '', headers))
      return this.#sender.answerPreflight(call);
    this.#sender.refuse(call, 405, `method ${method ?? ''} is not supported; use POST or GET`, {
      Allow: 'GET, POST',
    });
  }

  #readBody(
    call: Call,
    request: IncomingMessage,
    response: ServerResponse,
    search: string | undefined,
  ): void {
    const { connection } = call;
    const limit = this.#settings.maxBody;
    const refuse = (failure: DecodeFailure): void =>
      refuseLargeBody(request, response, this.#sender.bodyRefusal(call, failure), connection);
    if (announcesTooMuch(request, limit)) return refuse(TOO_LARGE);
    const codings = codingsOf(request.headers) ?? [];
    this.#takeBody(call, codings, search, (take) =>
      readDecodedBody(
        request,
        codings,
        limit,
        connection.isolate((bytes: Buffer | DecodeFailure) => {
          if (Buffer.isBuffer(bytes)) take(bytes);
          else refuse(bytes);
        }),
      ),
    );
  }

  /** @param codings - the content codings that are undone by `read` */
  #takeBody(
    call: Call,
    codings: readonly ContentCoding[],
    search: string | undefined,
    read: (take: (bytes: Buffer) => void) => void,
  ): void {
    const { 'content-type': contentType, 'content-encoding': encoding } = call.head.headers;
    const body = readBodyType(contentType, codings.length > 0 ? undefined : encoding);
    const relay = this.#relay;
    if (typeof body === 'string' && relay === undefined) return this.#sender.refuse(call, 415, body);
    read((bytes) => {
      if (relay !== undefined) call.arrived = arrivedOf(call, bytes, codings);
      if (relay !== undefined && (search === undefined || typeof body === 'string')) return relay.pass(call);
      if (search === undefined || typeof body === 'string') return;
      if (body.type === 'json') this.#take(call, () => readJsonRequest(bytes), bytes.length);
      else if (body.type === 'form')
        this.#take(call, () => readUploadRequest(contentType, bytes), bytes.length);
      else this.#take(call, () => readDocumentRequest(bytes, search), bytes.length + search.length);
    });
  }

  #take(call: Call, read: () => GraphqlRequest | readonly GraphqlRequest[], size: number): void {
    let request;
    try {
      request = read();
    } catch (thrown) {
      if (!(thrown instanceof RequestProblem)) throw thrown;
      if (this.#relay !== undefined) return this.#relay.pass(call);
      return this.#sender.refuse(call, 400, thrown.message);
    }
    this.#handler.take(call, request, size);
  }
}

/** Whether a request without a body asks for an operation; all others about GraphQL are for the upstream. */
function isQuery({ head: { method, headers } }: Call, search: string, { hasCors }: Settings): boolean {
  if (method === 'GET') return new URLSearchParams(search).has('query') || search.includes('extensions=');
  return hasCors && isPreflight(method ?? '', headers);
}

function arrivedOf({ reply, head }: Call, bytes: Buffer, codings: readonly ContentCoding[]): Arrived {
  const hasBody = bytes.length > 0 || head.method === 'POST';
  return { body: hasBody ? bytes : undefined, isDecoded: codings.length > 0, reply };
}

function makeCall(head: Call['head'], reply: Call['reply'], connection: Connection): Call {
  const { accept } = head.headers;
  return { head, reply, connection, type: chooseMediaType(accept), accepted: readAccepted(accept) };
}
