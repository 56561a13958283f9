import type { Message } from '@backlot/core/plugin';
import { CONNECT_TIMEOUT, TIMEOUT, readTimeout } from './wire/timeout.js';
import { methodKeys, serviceName, shortName } from './schema/method-keys.js';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The request messages of a call that have come so far, as JSON has them. */
export interface Requests {
  /** The first one as the journal shows it; absent before it has come. */
  readonly body: string | Uint8Array | undefined;
  readonly messages: readonly unknown[];
  /** Those of the whole call, where `messages` has only the one that is answered. */
  readonly all?: readonly unknown[];
  /** Whether the client has sent all of them. */
  readonly isWhole: boolean;
  /** The messages of the call as they come, for a function. */
  read?(): AsyncIterable<unknown>;
}

/** A call, as matchers, templates and the journal see it. */
export class GrpcMessage implements Message {
  /** The last part of the path. */
  readonly method: string;
  readonly path: string;
  readonly remote: string;
  declare readonly body?: string | Uint8Array;
  readonly #readHeaders: () => Headers;
  readonly #requests: Requests;
  #headers: Headers | undefined = undefined;

  constructor(path: string, remote: string, readHeaders: () => Headers, requests: Requests) {
    this.method = shortName(path);
    this.path = path;
    this.remote = remote;
    this.#readHeaders = readHeaders;
    this.#requests = requests;
    if (requests.body !== undefined) this.body = requests.body;
  }

  /** The metadata of the request, with `grpc-timeout` or `connect-timeout-ms` as it was sent. */
  get headers(): Headers {
    return (this.#headers ??= this.#readHeaders());
  }

  /** Within how many milliseconds the client wants the answer; absent when it waits for ever. */
  get deadline(): number | undefined {
    const { [TIMEOUT]: timeout, [CONNECT_TIMEOUT]: milliseconds } = this.headers;
    if (typeof timeout === 'string') return readTimeout(timeout);
    return typeof milliseconds === 'string' && /^\d{1,10}$/.test(milliseconds)
      ? Number(milliseconds)
      : undefined;
  }

  /** See {@link methodKeys}. */
  get keys(): readonly string[] {
    return methodKeys(this.path);
  }

  /** Whether the first request message has come. */
  get hasRequest(): boolean {
    return this.#requests.messages.length > 0;
  }

  /** Whether the client has sent all that it will send. */
  get isWhole(): boolean {
    return this.#requests.isWhole;
  }

  /** The first request message. */
  get request(): unknown {
    return this.#requests.messages[0];
  }

  /**
   * For templates: `request.service`, `request.messages`, `request.peer` and `request.deadline`. `request.arriving` is for
   * functions.
   */
  get extras(): Readonly<Record<string, unknown>> {
    const requests = this.#requests;
    const { all, messages } = requests;
    return {
      get arriving() {
        return requests.read?.();
      },
      service: serviceName(this.path),
      messages: all ?? messages,
      peer: this.remote,
      deadline: this.deadline,
    };
  }
}

/** The JSON value of a text; the text itself when it is not JSON. */
export function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
