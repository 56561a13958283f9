import type { ProtocolName, RemoteBacklotMembers, RemoteProtocols } from './remote-backlot.js';
import { makeRemote } from './remote-backlot.js';
import type { Place } from './remote-protocol.js';
import { Transport, type ServerOptions } from './transport.js';

/** What {@link connect} takes. */
export interface ConnectOptions<
  P extends readonly ProtocolName[] = readonly ProtocolName[],
> extends ServerOptions {
  /**
   * The protocols that are used: names, or what `@backlot/http` and the like export, which also give their types. All that the server
   * has are there in any case.
   */
  readonly protocols?: P;
  /** Where clients reach protocols, by kind, when it is not where the server says: behind ports that are mapped, as those of containers. */
  readonly places?: Readonly<Record<string, Place>>;
}

/** A Backlot that runs elsewhere: its protocols, each under the name of its kind, and what all have. */
export type RemoteBacklot<P extends readonly ProtocolName[] = readonly ProtocolName[]> =
  RemoteBacklotMembers & RemoteProtocols<P>;

interface Status {
  readonly protocol: string;
  readonly state: string;
  readonly url?: string;
  readonly port?: number;
}

/**
 * Connects to a server that runs, whose members are those of a Backlot in the same process, with promises.
 *
 * @example
 * const backlot = await connect({ url: 'http://localhost:9091', protocols: ['http'] });
 * await backlot.http.mock({ id: 'hello', request: { path: '/hello' }, response: { body: 'Hello' } });
 *
 * @throws BacklotError `not_enabled` when no server answers; `not_found` when it has no such protocol; else with the server's own words
 */
export async function connect<const P extends readonly ProtocolName[] = readonly []>(
  options: ConnectOptions<P> = {},
): Promise<RemoteBacklot<P>> {
  const transport = new Transport(options);
  const places = { ...(await placesOf(transport)), ...options.places };
  // The members for the protocols are added by their names.
  return makeRemote(transport, places, options.protocols ?? []) as RemoteBacklot<P>;
}

/** Where the protocols of a server listen. */
export async function placesOf(transport: Transport): Promise<Readonly<Record<string, object>>> {
  const all = await transport.call<readonly Status[]>('GET', '/protocols');
  return Object.fromEntries(
    all.map(({ protocol, state, url, port }) => [
      protocol,
      state === 'running' && url !== undefined ? { url, port } : {},
    ]),
  );
}
