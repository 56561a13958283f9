import type { ListenAddress } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import type { Actor, Operation, Resource } from '../broker/acl.js';
import type { Acls } from '../broker/acls.js';

/** What the requests of one connection share. */
export class KafkaSession {
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
