import type { ListenAddress } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import type { Actor, Operation, Resource } from '../broker/acl.js';
import type { Acls } from '../broker/acls.js';
import type { Call } from './call.js';

/** What the requests of one connection share. */
export class Client {
  readonly connection: Connection;
  readonly place: ListenAddress;
  readonly #acls: Acls;
  /** Who has logged in; empty for nobody. */
  user = '';
  /** What the latest request calls itself. */
  id = '';
  /** What is done when the client leaves before it is answered. */
  leave: (() => void) | undefined;
  /** Whether an orderly stop waits for the answer that is being made. */
  holdsStop = false;

  constructor(connection: Connection, place: ListenAddress, acls: Acls) {
    this.connection = connection;
    this.place = place;
    this.#acls = acls;
  }

  /** Whether the rules let the client do something. */
  may(operation: Operation, resource: Resource, name: string): boolean {
    return this.#isFree || this.#acls.allows(this.#actor, operation, resource, name);
  }

  /** Whether the rules let the client do something to some resource of a kind. */
  maySome(operation: Operation, resource: Resource): boolean {
    return this.#isFree || this.#acls.allowsSome(this.#actor, operation, resource);
  }

  /** Whether there is nothing that this client may not do. */
  get #isFree(): boolean {
    return this.user === '' || this.#acls.isEmpty;
  }

  get #actor(): Actor {
    return { principal: `User:${this.user}`, host: this.connection.remoteAddress };
  }
}

/** One request of a client. A class, since one is made for every request. */
export class ClientCall implements Call {
  readonly version: number;
  readonly clientId: string;
  readonly #client: Client;

  constructor(client: Client, version: number, clientId: string) {
    this.#client = client;
    this.version = version;
    this.clientId = clientId;
  }

  get connection(): Connection {
    return this.#client.connection;
  }

  get place(): ListenAddress {
    return this.#client.place;
  }

  may(operation: Operation, resource: Resource, name: string): boolean {
    return this.#client.may(operation, resource, name);
  }

  maySome(operation: Operation, resource: Resource): boolean {
    return this.#client.maySome(operation, resource);
  }

  onLeave(callback: () => void): void {
    this.#client.leave = callback;
  }

  loggedIn(user: string): void {
    this.#client.user = user;
  }

  holdStop(): void {
    this.#client.holdsStop = true;
  }
}
