import type { Message } from '@backlot/core/plugin';
import { CONNECT_TIMEOUT, TIMEOUT, readTimeout } from './wire/timeout.js';
import { methodKeys, methodName, serviceName } from './schema/method-keys.js';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** What reads the headers of a call when somebody asks for them. */
export interface HeaderSource {
  /** The host that the call is for, in lower case and without the port of its scheme; empty when it names none. */
  readonly host: string;
  /** @param timeout - the `grpc-timeout` of the call, as it was sent */
  show(timeout: string | undefined): Headers;
}

/** The request messages of a call that have come so far, as JSON has them. */
export interface Requests {
  /** The first one as the journal shows it; absent before it has come. */
  readonly body: string | Uint8Array | undefined;
  readonly messages: readonly unknown[];
  /** Those of the whole call, where `messages` has only the one that is answered. */
  readonly all?: readonly unknown[];
  /** Whether the client has sent all of them. */
  readonly isWhole: boolean;
  /** Whether there is one, which nobody reads as it comes, and which is JSON as the journal shows it. */
  readonly isSingle?: boolean;
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
  readonly #source: HeaderSource;
  readonly #timeout: string | undefined;
  #requests: Requests | undefined;
  #headers: Headers | undefined = undefined;

  constructor(path: string, remote: string, headers: HeaderSource, requests: Requests, timeout?: string) {
    const name = methodName(path);
    this.method = name.short;
    this.path = name.path;
    this.remote = remote;
    this.#source = headers;
    this.#timeout = timeout;
    this.#requests = requests;
    if (requests.body !== undefined) this.body = requests.body;
  }

  /** The metadata of the request, with its host, and with `grpc-timeout` or `connect-timeout-ms` as it was sent. */
  get headers(): Headers {
    return (this.#headers ??= this.#source.show(this.#timeout));
  }

  /** See {@link HeaderSource.host}. */
  get host(): string {
    return this.#source.host;
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
    return this.#requests === undefined || this.#requests.messages.length > 0;
  }

  /** Whether the client has sent all that it will send. */
  get isWhole(): boolean {
    return this.#requests === undefined || this.#requests.isWhole;
  }

  /** The first request message. */
  get request(): unknown {
    return this.#messages[0];
  }

  /** The call is over: a single message that is whole is kept as the text of the journal, and read of that if it is asked for again. */
  settle(): void {
    const { body } = this;
    const requests = this.#requests;
    if (typeof body === 'string' && requests?.isWhole === true && requests.isSingle === true)
      this.#requests = undefined;
  }

  get #messages(): readonly unknown[] {
    return this.#requests?.messages ?? [parseOrKeep(this.body as string)];
  }

  /**
   * For templates: `request.service`, `request.host`, `request.messages`, `request.peer` and `request.deadline`.
   * `request.arriving` is for functions.
   */
  get extras(): Readonly<Record<string, unknown>> {
    const requests = this.#requests;
    return {
      get arriving() {
        return requests?.read?.();
      },
      service: serviceName(this.path),
      host: this.host,
      messages: requests?.all ?? this.#messages,
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
