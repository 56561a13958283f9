import type { ListenAddress } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import type { Operation, Resource } from '../broker/acl.js';
import type { Call } from './call.js';
import type { KafkaSession } from './session.js';

/** One request of a client. A class, since one is made for every request. */
export class ClientCall implements Call {
  readonly version: number;
  readonly clientId: string;
  readonly #session: KafkaSession;

  constructor(session: KafkaSession, version: number, clientId: string) {
    this.#session = session;
    this.version = version;
    this.clientId = clientId;
  }

  get connection(): Connection {
    return this.#session.connection;
  }

  get place(): ListenAddress {
    return this.#session.place;
  }

  may(operation: Operation, resource: Resource, name: string): boolean {
    return this.#session.may(operation, resource, name);
  }

  maySome(operation: Operation, resource: Resource): boolean {
    return this.#session.maySome(operation, resource);
  }

  onLeave(callback: () => void): void {
    this.#session.leave = callback;
  }

  loggedIn(user: string): void {
    this.#session.user = user;
  }

  holdStop(): void {
    this.#session.holdsStop = true;
  }
}
