import type { ServerResponse } from 'node:http';
import type { Connection } from '@backlot/kit';
import { HeldAnswers, RequestTurns } from '@backlot/kit/http';
import type { Origin } from '../proxy/origin.js';
import type { Incoming } from './outgoing.js';
import { newConnectionAuth, type ConnectionAuth } from '../auth/index.js';

/** What the server keeps of one connection. */
export class HttpConnection {
  readonly remote: string;
  readonly kit: Connection;
  readonly held: HeldAnswers;
  readonly turns: RequestTurns;
  /** The newest HTTP/1 answer whose request has arrived wholly. */
  latest: ServerResponse | undefined = undefined;
  /** The newest HTTP/1 answer, whether its request has arrived wholly or not. */
  newest: ServerResponse | undefined = undefined;
  /** The path that the requests of the connection are seen below, by the port that it came to. */
  readonly mount: string | undefined;
  /** The server that all requests of the connection are for, as a CONNECT has said; absent for what is for the listener itself. */
  readonly origin: Origin | undefined;
  /** The servers of requests with whole urls. */
  #origins: WeakMap<Incoming, Origin> | undefined = undefined;
  #auth: ConnectionAuth | undefined = undefined;

  /** @param version - the version of HTTP that the client speaks */
  constructor(kit: Connection, version: 1 | 2, mount: string | undefined, origin?: Origin) {
    this.kit = kit;
    this.mount = mount;
    this.origin = origin;
    this.remote = kit.remote;
    this.held = new HeldAnswers(kit);
    this.turns = new RequestTurns(kit, version === 1);
  }

  /** Says for which server a request is that has come to the proxy. */
  place(request: Incoming, origin: Origin): void {
    (this.#origins ??= new WeakMap()).set(request, origin);
  }

  /** The server that a request is for; absent for the listener itself. */
  originOf(request: Incoming): Origin | undefined {
    return this.origin ?? this.#origins?.get(request);
  }

  get auth(): ConnectionAuth {
    return (this.#auth ??= newConnectionAuth());
  }
}
