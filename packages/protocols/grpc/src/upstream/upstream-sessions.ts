import http2, { type ClientHttp2Session } from 'node:http2';
import type { Upstream } from '@backlot/core/plugin';
import { connectUpstream, type UpstreamLog } from '@backlot/kit/upstream';
import { hostOf } from '@backlot/kit/http-upstream';

/** The session over which calls go to an upstream: one for all clients, opened when the first call needs it. */
export class UpstreamSessions {
  readonly upstream: Upstream;
  readonly log: UpstreamLog;
  readonly #authorities: Buffer | undefined;
  readonly #authority: string;
  readonly #leaving = new AbortController();
  #opening: Promise<ClientHttp2Session> | undefined;
  readonly #open = new Set<ClientHttp2Session>();

  /** @param authorities - of the certificate of the upstream */
  constructor(upstream: Upstream, authorities: Buffer | undefined, log: UpstreamLog) {
    this.upstream = upstream;
    this.log = log;
    this.#authorities = authorities;
    this.#authority = `${upstream.isSecure ? 'https' : 'http'}://${hostOf(upstream)}`;
  }

  /** The session for a call. @throws Error when the upstream cannot be reached */
  get(): Promise<ClientHttp2Session> {
    if (this.#opening === undefined) {
      const opening = this.#connect();
      this.#opening = opening;
      const forget = (): void => {
        if (this.#opening === opening) this.#opening = undefined;
      };
      opening.then((session) => {
        for (const event of ['goaway', 'close', 'error'] as const) session.once(event, forget);
        // It may have been lost while nobody listened.
        if (session.closed || session.destroyed) forget();
      }, forget);
    }
    return this.#opening;
  }

  /** Closes it as soon as nothing goes over it any more. */
  retire(): void {
    for (const session of this.#open) session.close();
  }

  /** Closes it, whatever goes over it. */
  stop(): void {
    this.#leaving.abort();
    for (const session of this.#open) session.destroy();
  }

  async #connect(): Promise<ClientHttp2Session> {
    const socket = await connectUpstream(this.upstream, {
      authorities: this.#authorities,
      alpnProtocols: ['h2'],
      signal: this.#leaving.signal,
    });
    const session = http2.connect(this.#authority, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    this.#open.add(session);
    session.once('close', () => {
      this.#open.delete(session);
      socket.destroy();
    });
    session.on('error', () => undefined);
    return session;
  }
}
