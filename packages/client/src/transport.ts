import { BacklotError, refusalOf } from './errors.js';
import { readWarnings } from './read-warnings.js';

/** Where the server is when neither an option nor `BACKLOT_URL` says. */
const DEFAULT_URL = 'http://localhost:9091';

/** Where a server is, and how it is asked. */
export interface ServerOptions {
  /** The url of the management API; `BACKLOT_URL` when absent, else `http://localhost:9091`. */
  readonly url?: string;
  /** The token of the management API; `BACKLOT_API_TOKEN` when absent. */
  readonly token?: string;
  /** Further headers of each request, such as those of a gateway before the server. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What sends requests; the global `fetch` when absent. */
  readonly fetch?: typeof fetch;
  /**
   * Is given each text by which the server warns of what it has taken all the same, such as a mock whose answer the contract of its
   * protocol does not allow.
   */
  readonly onWarning?: (message: string) => void;
}

/** What may stand in a query; what is `undefined` is left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Asks the management API of a server. */
export class Transport {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #onWarning: ServerOptions['onWarning'];
  /** What paths are below: `/api`, or the path of a space. */
  readonly #base: string;

  constructor(options: ServerOptions, base = '/api') {
    const { url = variable('BACKLOT_URL') ?? DEFAULT_URL, token = variable('BACKLOT_API_TOKEN') } = options;
    this.url = url.replace(/\/+$/, '');
    this.#base = base;
    this.#headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    };
    this.#onWarning = options.onWarning;
    // Browsers refuse a `fetch` that is called as a method of something else.
    this.#fetch = options.fetch ?? ((...given) => globalThis.fetch(...given));
  }

  /**
   * Sends a request, and reads its JSON.
   *
   * @param path - below `/api`, such as `/state`
   * @throws BacklotError `not_enabled` when no server answers; else with the server's own words
   */
  async call<Answer = unknown>(
    method: string,
    path: string,
    body?: unknown,
    query: QueryValues = {},
  ): Promise<Answer> {
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) values.set(name, String(value));
    const search = values.size === 0 ? '' : `?${values.toString()}`;
    const target = this.#base + path + search;
    const response = await this.#fetch(this.url + target, {
      method,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((thrown: unknown) => {
      throw new BacklotError(
        'not_enabled',
        `no Backlot answers at ${this.url}: start one ("backlot start"), or name it by BACKLOT_URL; from a page of another origin it must be allowed ("api: {cors: {allowed_origins: [...]}}")`,
        { cause: thrown },
      );
    });
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, text, `${method} ${this.#base}${path}`);
    if (this.#onWarning !== undefined)
      for (const message of readWarnings(response.headers.get('backlot-warning'))) this.#onWarning(message);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }
}

/** An environment variable where there are any. */
function variable(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  return process?.env?.[name];
}

/** A part of a path. */
export const part = (text: string): string => encodeURIComponent(text);
