import { randomBytes } from 'node:crypto';
import type { ApiClient, OnWarning } from './api-client.js';
import { ApiError } from './api-client.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A space that a session has for itself. */
interface OwnSpace {
  readonly id: string;
  call(method: Method, path: string, body?: unknown, onWarning?: OnWarning): Promise<unknown>;
  /** Ends it, when it was used. */
  end(): Promise<void>;
}

/** The management API as agents use it: of the server, or of a space, which is made when it is first used. */
export class SpaceApi {
  readonly #api: ApiClient;
  readonly #space: string | undefined;
  #made: Promise<void> | undefined;

  /** A space of its own for a session. */
  static own(api: ApiClient): OwnSpace {
    const id = `agent-${randomBytes(4).toString('hex')}`;
    const space = new SpaceApi(api, id);
    return {
      id,
      call: (method, path, body, onWarning) => space.call(method, path, body, onWarning),
      end: () => space.end(),
    };
  }

  constructor(api: ApiClient, space: string | undefined) {
    this.#api = api;
    this.#space = space;
  }

  async call(method: Method, path: string, body?: unknown, onWarning?: OnWarning): Promise<unknown> {
    if (this.#space === undefined) return this.#send(method, path, body, onWarning);
    const inSpace = path.replace(/^\/api\//, `/api/spaces/${this.#space}/`);
    const answer = await this.#within(this.#space, () => this.#send(method, inSpace, body, onWarning));
    // Where the clients of the space connect is said of the space alone.
    if (path !== '/api/health') return answer;
    return { ...(answer as object), space: await this.#api.get(`/api/spaces/${this.#space}`) };
  }

  /** Ends the space, when it was used. */
  async end(): Promise<void> {
    if (this.#made === undefined) return;
    await this.#made;
    await this.#api.delete(`/api/spaces/${this.#space ?? ''}`).catch((thrown: unknown) => {
      // It may have ended by itself.
      if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
    });
  }

  /** Asks a space, which is made when it is not there: before the first use, or because it has ended since. */
  async #within(id: string, ask: () => Promise<unknown>): Promise<unknown> {
    await this.#ready(id);
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404 || (await this.#isThere(id))) throw error;
      this.#made = undefined;
      await this.#ready(id);
      return await ask();
    }
  }

  async #ready(id: string): Promise<void> {
    this.#made ??= this.#make(id);
    try {
      await this.#made;
    } catch (error) {
      // The next call tries again.
      this.#made = undefined;
      throw error;
    }
  }

  async #isThere(id: string): Promise<boolean> {
    try {
      await this.#api.get(`/api/spaces/${id}`);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    }
  }

  async #make(id: string): Promise<void> {
    if (await this.#isThere(id)) return;
    await this.#api.post('/api/spaces', { id }).catch((thrown: unknown) => {
      // Another request of the same session was quicker.
      if (!(thrown instanceof ApiError) || thrown.status !== 409) throw thrown;
    });
  }

  #send(method: Method, path: string, body: unknown, onWarning?: OnWarning): Promise<unknown> {
    switch (method) {
      case 'GET':
        return this.#api.get(path);
      case 'POST':
        return this.#api.post(path, body, onWarning);
      case 'PUT':
        return this.#api.put(path, body, onWarning);
      case 'DELETE':
        return this.#api.delete(path);
    }
  }
}
