import { BacklotError } from '@backlot/core';

/** Where the server is when neither an option nor `BACKLOT_URL` says. */
const DEFAULT_URL = 'http://localhost:9091';

/** What a space of a running server is made of. */
export interface SpaceOptions {
  /** The url of the management API; `BACKLOT_URL` when absent, else `http://localhost:9091`. */
  readonly url?: string;
  /** The token of the management API; `BACKLOT_API_TOKEN` when absent. */
  readonly token?: string;
  /** The id of the space; made up when absent. */
  readonly id?: string;
  /** The kinds that listen on ports of their own; others are reached by the shared ports. */
  readonly protocols?: readonly string[];
  /** How long it lives without being used; as the server says when absent. */
  readonly ttl?: string;
  /** The seed of its chance; that of the server when absent. */
  readonly seed?: number;
}

/** Where a kind of a space listens. */
export interface SpaceAddress {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** A space of a server that runs elsewhere, by its management API. */
export interface SpaceClient {
  /** Clients name it on shared ports: as the header `Backlot-Space`, or as the name that logs in. */
  readonly id: string;
  /** Its own listeners by kind. */
  readonly protocols: Readonly<Record<string, SpaceAddress>>;
  /** Environment variables that tell programs where they are, such as `REDIS_URL`. */
  readonly env: Readonly<Record<string, string>>;
  /** The header by which requests name it: `{ 'Backlot-Space': id }`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Asks the management API of the space.
   *
   * @param path - below `/api`, such as `/state`
   * @returns the JSON of the answer
   * @throws BacklotError with the server's own words
   */
  call<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a mock, or several. */
  mock<Mock = unknown>(kind: string, mock: object | readonly object[]): Promise<Mock>;
  /** Puts everything in it back to what the file says. */
  reset(): Promise<void>;
  /** Ends it. A second call does nothing more. */
  remove(): Promise<void>;
}

interface MadeSpace {
  readonly id: string;
  readonly protocols: Readonly<Record<string, SpaceAddress>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes a space of a running server: a world of its own, which other tests and processes neither see nor disturb.
 *
 * @throws BacklotError `not_enabled` when no server answers; else with the server's own words
 */
export async function createSpace(options: SpaceOptions = {}): Promise<SpaceClient> {
  const { url = process.env['BACKLOT_URL'] ?? DEFAULT_URL, token = process.env['BACKLOT_API_TOKEN'] } =
    options;
  const { id, protocols, ttl, seed } = options;
  const ask = askAt(url.replace(/\/+$/, ''), token);
  const made = (await ask('POST', '/api/spaces', { id, protocols, ttl, seed })) as MadeSpace;
  const base = `/api/spaces/${made.id}`;
  let removed: Promise<unknown> | undefined;
  return {
    id: made.id,
    protocols: made.protocols,
    env: made.env,
    headers: { 'Backlot-Space': made.id },
    call: async (method, path, body) => (await ask(method, base + path, body)) as never,
    mock: async (kind, mock) => (await ask('POST', `${base}/mocks/${kind}`, mock)) as never,
    reset: async () => void (await ask('POST', `${base}/reset`)),
    async remove() {
      removed ??= ask('DELETE', base).catch((thrown: unknown) => {
        // It may have ended by itself.
        if (!(thrown instanceof BacklotError && thrown.code === 'not_found')) throw thrown;
      });
      await removed;
    },
  };
}

function askAt(url: string, token: string | undefined) {
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((thrown: unknown) => {
      throw new BacklotError(
        'not_enabled',
        `no Backlot answers at ${url}: start one ("backlot start"), or name it by BACKLOT_URL`,
        { cause: thrown },
      );
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    throw refusalOf(response.status, text, `${method} ${path}`);
  };
}

function refusalOf(status: number, text: string, what: string): BacklotError {
  let message = text;
  try {
    message = String((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    // It is shown as it came.
  }
  const codes = {
    400: 'invalid',
    401: 'unauthorized',
    404: 'not_found',
    409: 'conflict',
    503: 'not_enabled',
  } as const;
  const code = status in codes ? codes[status as keyof typeof codes] : 'internal';
  return new BacklotError(code, `${what}: ${message}`);
}
