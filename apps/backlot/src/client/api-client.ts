import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { CommandError } from '../cli/command-error.js';
import { readJson } from './read-json.js';
import { readWarnings } from './read-warnings.js';

/** An answer of the management API that is no success. */
export class ApiError extends CommandError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** An event of a stream of server-sent events. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Whose certificate is trusted over TLS; that of the system's authorities when nothing is said. */
export interface Trust {
  /** PEM, in place of the system's authorities. */
  readonly ca?: string;
  readonly isInsecure?: boolean;
  /** PEM of the certificate that is shown to the server, and of its private key. */
  readonly cert?: string;
  readonly key?: string;
}

/** Who talks, and about what. */
export interface ApiAccess {
  readonly token: string | undefined;
  readonly trust: Trust;
  /** The space that requests are about; the main world when absent. */
  readonly space?: string | undefined;
  /** Makes a connection to the server, in place of one to the host of the url. */
  readonly createConnection?: () => Duplex;
  /** Is told what answers warn of, where the request names nobody else for that. */
  readonly onWarning?: OnWarning;
}

/** Is told what an answer warns of, such as a mock that was taken and that a contract does not allow. */
export type OnWarning = (text: string) => void;

/** A label of a host name, as the id of every space is. */
const SPACE_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** How long a server may be silent before it has answered, in milliseconds. */
const TIMEOUT = 30_000;

/**
 * Talks to the management API of a running server, also on the ports that `fetch` refuses. Every failure is a
 * CommandError of one line.
 */
export class ApiClient {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #trust: Trust;
  readonly #space: string | undefined;
  readonly #createConnection: (() => Duplex) | undefined;
  readonly #onWarning: OnWarning | undefined;

  /** @throws CommandError when the url is no http(s) url, or no space can have that id */
  constructor(url: string, { token, trust, space, createConnection, onWarning }: ApiAccess) {
    if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) {
      throw new CommandError(`"${url}" is not the url of a server; give one such as http://127.0.0.1:9091`);
    }
    if (space !== undefined && !SPACE_ID.test(space)) {
      throw new CommandError(
        `"${space}" is not the id of a space, which has 1 to 63 lower case letters, digits and hyphens`,
      );
    }
    this.#url = url.replace(/\/+$/, '');
    this.#space = space;
    this.#token = token;
    this.#trust = trust;
    this.#createConnection = createConnection;
    this.#onWarning = onWarning;
  }

  get(path: string): Promise<unknown> {
    return this.#call('GET', path);
  }

  post(path: string, body?: unknown, onWarning?: OnWarning): Promise<unknown> {
    return this.#call('POST', path, body, onWarning);
  }

  put(path: string, body: unknown, onWarning?: OnWarning): Promise<unknown> {
    return this.#call('PUT', path, body, onWarning);
  }

  delete(path: string): Promise<unknown> {
    return this.#call('DELETE', path);
  }

  /** The bytes of a file that is no JSON, as they come. */
  async *bytes(path: string): AsyncGenerator<Uint8Array> {
    const response = await this.#request('GET', path);
    if (!isSuccess(response)) throw await failureOf(response);
    try {
      for await (const chunk of response) yield chunk as Uint8Array;
    } catch {
      throw new CommandError(`the connection to ${this.#url} was lost`);
    } finally {
      response.destroy();
    }
  }

  /** The events of a stream, until the server ends it, the loop is left or the signal is aborted. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const response = await this.#request('GET', path);
    if (!isSuccess(response)) throw await failureOf(response);
    const leave = (): void => void response.destroy();
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    let waiting = '';
    try {
      for await (const chunk of response.setEncoding('utf8')) {
        waiting += String(chunk);
        const blocks = waiting.split('\n\n');
        waiting = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = parseEvent(block);
          if (event !== undefined) yield event;
        }
      }
    } catch {
      if (!signal.aborted) throw new CommandError(`the connection to ${this.#url} was lost`);
    } finally {
      signal.removeEventListener('abort', leave);
      response.destroy();
    }
  }

  async #call(
    method: string,
    path: string,
    body?: unknown,
    onWarning: OnWarning | undefined = this.#onWarning,
  ): Promise<unknown> {
    const response = await this.#request(method, path, body);
    if (!isSuccess(response)) throw await failureOf(response);
    if (onWarning !== undefined) readWarnings(response.headers).forEach((text) => onWarning(text));
    try {
      return await readJson(response);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw new CommandError(`the connection to ${this.#url} was lost`);
      throw new CommandError(
        `${this.#url} is no Backlot management API: it answered ${method} ${path} with something else than JSON`,
      );
    }
  }

  #request(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { ca, isInsecure, cert, key } = this.#trust;
    const send = this.#url.startsWith('https:') ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const request = send(this.#url + path, {
        method,
        ...(this.#createConnection === undefined
          ? { agent: false }
          : { createConnection: this.#createConnection }),
        ...(ca === undefined ? {} : { ca }),
        ...(isInsecure === true ? { rejectUnauthorized: false } : {}),
        ...(cert === undefined ? {} : { cert, key }),
        headers: {
          accept: 'application/json, text/event-stream',
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...(this.#space === undefined ? {} : { 'backlot-space': this.#space }),
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        },
      });
      // What is no socket has no time-outs, and is silent only as long as this process is.
      const isSocket = this.#createConnection === undefined;
      if (isSocket)
        request.setTimeout(TIMEOUT, () =>
          request.destroy(new Error(`it did not answer within ${TIMEOUT / 1000} s`)),
        );
      request.once('error', (error: NodeJS.ErrnoException) =>
        reject(new CommandError(this.#describeFailure(error))),
      );
      request.once('response', (response) => {
        if (isSocket) request.setTimeout(0);
        resolve(response);
      });
      request.end(text);
    });
  }

  #describeFailure(error: NodeJS.ErrnoException): string {
    const { code } = error;
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ECONNRESET') {
      return `no server at ${this.#url} (${code}); start one with "backlot start", or name another with --url or BACKLOT_URL`;
    }
    // The error for a name with several addresses has no message of its own.
    const { message } =
      error instanceof AggregateError ? ((error.errors[0] as Error | undefined) ?? error) : error;
    return `cannot talk to ${this.#url}: ${message.replaceAll(/\s+/g, ' ')}${certificateHint(code)}`;
  }
}

/** What helps when a certificate is not trusted. */
function certificateHint(code = ''): string {
  if (code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')
    return '; the server wants a certificate of its clients: name one by --cert and --key';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return '; the server adds names to the certificate it makes by tls.hosts of its configuration';
  }
  if (!/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^CERT_/.test(code)) return '';
  return '; name its certificate by --ca or BACKLOT_API_CA ("backlot start --print-ca" prints it), or trust any by --insecure';
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

async function failureOf(response: IncomingMessage): Promise<ApiError> {
  const { statusCode: status = 0, statusMessage = '' } = response;
  const text = await readAll(response).catch(() => '');
  try {
    const { error, details } = JSON.parse(text) as {
      error?: unknown;
      details?: { path: string; message: string }[];
    };
    const message = typeof error === 'string' ? error : `the server answered ${status}`;
    const parts = (details ?? []).map(
      (detail) => `${detail.path === '' ? '' : `${detail.path}: `}${detail.message}`,
    );
    const further = parts.filter((part) => !message.includes(part));
    return new ApiError(status, [message, ...further].join('; ').replaceAll(/\s*\n\s*/g, ' '));
  } catch {
    return new ApiError(status, `the server answered ${status} ${statusMessage}`.trim());
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') };
}
