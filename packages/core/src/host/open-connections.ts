import type { ConnectionFilter, ConnectionView, KindConnections } from '../contract/kind.js';
import type { Farewell, OpenConnection, Service } from '../contract/service.js';

/** The open connections of the service of a kind, as it shows them. */
export class OpenConnections implements KindConnections {
  readonly #kind: { readonly service: Service | undefined };

  constructor(kind: { readonly service: Service | undefined }) {
    this.#kind = kind;
  }

  list(): readonly ConnectionView[] {
    return this.#open().map((connection) => {
      const { id, remote, user, client, ageMilliseconds, bytesIn, bytesOut, subscriptions } = connection;
      return {
        id,
        remote,
        ...(user === undefined ? {} : { user }),
        ...(client === undefined ? {} : { client }),
        age_ms: Math.floor(ageMilliseconds),
        bytes_in: bytesIn,
        bytes_out: bytesOut,
        ...(subscriptions === undefined ? {} : { subscriptions }),
      };
    });
  }

  close(filter: ConnectionFilter = {}, how: Farewell = 'end'): number {
    return this.#open().filter((connection) => fits(connection, filter) && connection.close(how)).length;
  }

  #open(): readonly OpenConnection[] {
    return this.#kind.service?.openConnections?.() ?? [];
  }
}

function fits(connection: OpenConnection, { id, remote, user, client }: ConnectionFilter): boolean {
  return (
    (id === undefined || id === connection.id) &&
    (remote === undefined || remote === connection.remote || remote === addressOf(connection.remote)) &&
    (user === undefined || user === connection.user) &&
    (client === undefined || client === connection.client)
  );
}

/** The address without the port, and an IPv6 address without its brackets. */
function addressOf(remote: string): string {
  return remote.slice(0, remote.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}
