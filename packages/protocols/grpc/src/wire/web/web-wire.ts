import { corsHeaders, isPreflight, preflightHeaders } from '@backlot/kit/http';
import type { Method } from '../../schema/model.js';
import type { RpcCall } from '../rpc-call.js';
import { TIMEOUT } from '../timeout.js';
import { readGrpcHead, type ReadHead } from '../grpc-head.js';
import { readConnectHead, readGetHead } from './call-head.js';
import type { AnswerHeaders, Carrier } from '../carrier.js';
import { connectError } from './connect-error.js';
import { CONNECT_STREAM, GRPC_WEB } from './dialects.js';
import { EnvelopedCall } from './enveloped-call.js';
import { isCallQuery } from './get-request.js';
import { messageForm } from './message-form.js';
import { CONTENT_TYPES, isGrpc, kindOf, type RequestKind } from './request-kind.js';
import { Code } from '../status.js';
import { UnaryCall } from './unary-call.js';
import type { CallHead, HttpCall } from '../http-call.js';

const TEXT = 'application/grpc-web-text';

/** What the wires beside gRPC's own need to know. */
export interface WebSettings {
  /** The most bytes of a request message. */
  readonly maxBytes: number;
  /** Whether pages of other origins may read answers. */
  readonly hasCors: boolean;
  /** The method of a path, when a schema has it. */
  readonly methodOf: (path: string) => Method | undefined;
  readonly onCall: (call: RpcCall) => void;
  /** Learns the method of a path that is not known yet; `undefined` where nothing is to be waited for. */
  readonly learn?: ((path: string) => Promise<void> | undefined) | undefined;
}

/** A request, and what is known of it. */
interface Asked {
  readonly carrier: Carrier;
  readonly path: string;
  readonly method: Method | undefined;
  /** Headers of every answer to it. */
  readonly further: AnswerHeaders;
  /** Why it is refused whatever it asks. */
  readonly refusal: WebRefusal | undefined;
}

/** How a call is refused: with a code of gRPC and a text. */
export interface WebRefusal {
  readonly code: number;
  readonly message: string;
}

/** Takes requests of gRPC-Web and of Connect, in either version of HTTP. */
export class WebWire {
  readonly #settings: WebSettings;

  constructor(settings: WebSettings) {
    this.#settings = settings;
  }

  /**
   * Takes a request: a call, or one that is answered with what is wrong with it.
   *
   * @param refusal - how a call is answered that cannot be served here
   */
  take(carrier: Carrier, refusal?: WebRefusal): void {
    const learning =
      refusal === undefined ? this.#settings.learn?.(carrier.url.split('?', 1)[0] ?? '') : undefined;
    if (learning === undefined) return this.#take(carrier, refusal);
    void learning.then(carrier.connection.isolate(() => this.#take(carrier, refusal)));
  }

  #take(carrier: Carrier, refusal?: WebRefusal): void {
    const { method: verb, headers, url } = carrier;
    const { hasCors, methodOf } = this.#settings;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const asked: Asked = {
      carrier,
      path,
      method: methodOf(path),
      further: hasCors ? lowerCase(corsHeaders(carrier) ?? {}) : {},
      refusal,
    };
    if (verb === 'POST') return this.#takePost(asked);
    if (verb === 'GET' && isCallQuery(query)) return this.#takeGet(asked, query);
    if (hasCors && isPreflight(verb, headers)) {
      carrier.respond(204, { ...asked.further, ...lowerCase(preflightHeaders(carrier)) });
      return carrier.end();
    }
    const right = verb === 'GET' ? 'a call by GET has its message in the query' : 'it takes calls by POST';
    refuse(asked, 405, `this is a gRPC server: ${right}, got ${verb} ${url.slice(0, 100)}`, {
      allow: 'POST, GET',
    });
  }

  #takePost(asked: Asked): void {
    const { method, path } = asked;
    const { 'content-type': contentType } = asked.carrier.headers;
    const kind = kindOf(contentType);
    if (kind === undefined) {
      if (isGrpc(contentType))
        return refuse(asked, 505, 'gRPC needs HTTP/2; over HTTP/1.1 this server takes gRPC-Web and Connect');
      const text = `this is a gRPC server: it takes no content type ${JSON.stringify(contentType ?? '')}`;
      return refuse(asked, 415, text, { 'accept-post': CONTENT_TYPES.join(', ') });
    }
    if (kind.wire === 'grpc-web') return this.#takeGrpcWeb(asked, kind.isText);
    const isStreaming = method !== undefined && (method.takesStream || method.givesStream);
    if (method !== undefined && isStreaming !== (kind.wire === 'stream')) {
      const right = `application/${isStreaming ? 'connect+' : ''}${kind.isJson ? 'json' : 'proto'}`;
      const text = `${path} has ${isStreaming ? '' : 'no '}streams: it takes the content type ${right}`;
      return refuse(asked, 415, text, { 'accept-post': right });
    }
    this.#takeConnect(asked, kind);
  }

  #takeGrpcWeb(asked: Asked, takesText: boolean): void {
    const { carrier, method } = asked;
    const head = readGrpcHead(carrier.headers);
    const { accept = '' } = carrier.headers;
    const givesText = accept.includes(TEXT) || (takesText && !accept.includes('application/grpc-web'));
    const contentType = givesText ? `${TEXT}+proto` : 'application/grpc-web+proto';
    const form = messageForm(false, method);
    const { maxBytes } = this.#settings;
    const { coding } = head;
    const parts = { dialect: GRPC_WEB, form, contentType, takesText, givesText, coding, maxBytes };
    this.#begin(new EnvelopedCall(carrier, headOf(asked, head), parts), head, asked);
  }

  #takeConnect(asked: Asked, { wire, isJson }: Extract<RequestKind, { isJson: boolean }>): void {
    const { carrier, method } = asked;
    const { maxBytes } = this.#settings;
    const form = messageForm(isJson, method);
    if (wire === 'unary') {
      const head = readConnectHead(carrier.headers, 'content-encoding');
      const parts = { form, coding: head.coding, message: undefined, maxBytes };
      return this.#begin(new UnaryCall(carrier, headOf(asked, head), parts), head, asked);
    }
    const head = readConnectHead(carrier.headers, 'connect-content-encoding');
    const contentType = `application/connect+${form.name}`;
    const text = { takesText: false, givesText: false };
    const parts = { dialect: CONNECT_STREAM, form, contentType, ...text, coding: head.coding, maxBytes };
    this.#begin(new EnvelopedCall(carrier, headOf(asked, head), parts), head, asked);
  }

  #takeGet(asked: Asked, query: string): void {
    const { carrier, method, path } = asked;
    if (method !== undefined && (!method.isSafe || method.takesStream || method.givesStream)) {
      const text = `${path} cannot be called by GET: it is no method without streams that has idempotency_level = NO_SIDE_EFFECTS`;
      return refuse(asked, 405, text, { allow: 'POST' });
    }
    const { head, request } = readGetHead(carrier.headers, query);
    const form = messageForm(request.isJson, method);
    const { maxBytes } = this.#settings;
    const parts = { form, coding: head.coding, message: request.message, maxBytes };
    this.#begin(new UnaryCall(carrier, headOf(asked, head), parts), head, asked);
  }

  #begin(call: HttpCall, head: ReadHead, { refusal }: Asked): void {
    const problem = refusal ?? head.problem;
    if (problem === undefined) this.#settings.onCall(call);
    else call.refuse(problem.code, problem.message);
  }
}

function headOf({ carrier, path, further }: Asked, { deadline }: ReadHead): CallHead {
  const timeout = carrier.headers[TIMEOUT];
  return { path, timeout: timeout === undefined ? undefined : String(timeout), deadline, further };
}

/** Answers what is no call, in a form that clients of Connect read as well. */
function refuse(
  { carrier, further }: Asked,
  status: number,
  message: string,
  more: AnswerHeaders = {},
): void {
  const body = Buffer.from(JSON.stringify(connectError({ code: Code.UNKNOWN, details: message })));
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  carrier.respond(status, { ...further, ...more, ...headers });
  carrier.end(body);
}

function lowerCase(headers: Readonly<Record<string, string>>): AnswerHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
