import type { ServerResponse } from 'node:http';
import { HeldAnswers, type Connection } from '@backlot/kit';
import { newConnectionAuth, type ConnectionAuth } from '../auth/index.js';

/** What the server keeps of one connection. */
export class HttpConnection {
  readonly remote: string;
  readonly kit: Connection;
  readonly held: HeldAnswers;
  /** The newest HTTP/1 answer whose request has arrived wholly. */
  latest: ServerResponse | undefined = undefined;
  #auth: ConnectionAuth | undefined = undefined;

  constructor(kit: Connection) {
    this.kit = kit;
    this.remote = kit.remote;
    this.held = new HeldAnswers(kit);
  }

  get auth(): ConnectionAuth {
    return (this.#auth ??= newConnectionAuth());
  }
}
