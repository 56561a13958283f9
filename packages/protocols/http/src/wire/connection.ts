import type { ServerResponse } from 'node:http';
import type { Connection } from '@backlot/kit';
import { HeldAnswers, RequestTurns } from '@backlot/kit/http';
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
  #auth: ConnectionAuth | undefined = undefined;

  /** @param version - the version of HTTP that the client speaks */
  constructor(kit: Connection, version: 1 | 2, mount: string | undefined) {
    this.kit = kit;
    this.mount = mount;
    this.remote = kit.remote;
    this.held = new HeldAnswers(kit);
    this.turns = new RequestTurns(kit, version === 1);
  }

  get auth(): ConnectionAuth {
    return (this.#auth ??= newConnectionAuth());
  }
}
