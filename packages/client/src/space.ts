import { placesOf, type RemoteBacklot } from './connect.js';
import { BacklotError } from './errors.js';
import { kindOf, makeRemote, type ProtocolName } from './remote-backlot.js';
import type { Place } from './remote-protocol.js';
import { part, Transport, type ServerOptions } from './transport.js';

/** What a space of a running server is made of. */
export interface SpaceOptions<
  P extends readonly ProtocolName[] = readonly ProtocolName[],
> extends ServerOptions {
  /** The id of the space; made up when absent. */
  readonly id?: string;
  /**
   * The protocols that listen on ports of their own: names, or what `@backlot/http` and the like export, which also give their
   * types. Others are reached by the shared ports.
   */
  readonly protocols?: P;
  /** Where clients reach the shared ports of protocols, by kind, when it is not where the server says. */
  readonly places?: Readonly<Record<string, Place>>;
  /** How long it lives without being used; as the server says when absent. */
  readonly ttl?: string;
  /** The seed of its chance; that of the server when absent. */
  readonly seed?: number;
}

/** Where a kind of a space listens. */
export interface SpaceAddress {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** What a space has beside the members of a Backlot. */
export interface SpaceMembers {
  /** Clients name it on shared ports: as the header `Backlot-Space`, or as the name that logs in. */
  readonly id: string;
  /** Its own listeners by kind. */
  readonly protocols: Readonly<Record<string, SpaceAddress>>;
  /** Environment variables that tell programs where they are, such as `REDIS_URL`. */
  readonly env: Readonly<Record<string, string>>;
  /** The header by which requests name it: `{ 'Backlot-Space': id }`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Creates a mock, or several. */
  mock<Mock = unknown>(kind: string, mock: object | readonly object[]): Promise<Mock>;
  /** Ends it. A second call does nothing more. */
  remove(): Promise<void>;
  /** The same, by the name that a Backlot in the same process has for it. */
  stop(): Promise<void>;
}

/** A space of a server that runs elsewhere. */
export type SpaceClient<P extends readonly ProtocolName[] = readonly ProtocolName[]> = RemoteBacklot<P> &
  SpaceMembers;

interface MadeSpace {
  readonly id: string;
  readonly protocols: Readonly<Record<string, SpaceAddress>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes a space of a running server: a world of its own, which other tests and processes neither see nor disturb.
 *
 * @throws BacklotError `not_enabled` when no server answers; else with the server's own words
 */
export async function createSpace<const P extends readonly ProtocolName[] = readonly []>(
  options: SpaceOptions<P> = {},
): Promise<SpaceClient<P>> {
  const { id, protocols = [], ttl, seed } = options;
  const server = new Transport(options);
  const kinds = protocols.map(kindOf);
  const made = await server.call<MadeSpace>('POST', '/spaces', {
    id,
    ...(options.protocols === undefined ? {} : { protocols: kinds }),
    ttl,
    seed,
  });
  const path = `/spaces/${part(made.id)}`;
  const transport = new Transport(options, `/api${path}`);
  const places = { ...(await placesOf(server)), ...options.places, ...made.protocols };
  const members = makeRemote(transport, places, protocols);
  let removed: Promise<unknown> | undefined;
  const remove = async (): Promise<void> => {
    removed ??= server.call('DELETE', path).catch((thrown: unknown) => {
      // It may have ended by itself.
      if (!(thrown instanceof BacklotError && thrown.code === 'not_found')) throw thrown;
    });
    await removed;
  };
  const own: SpaceMembers = {
    id: made.id,
    protocols: made.protocols,
    env: made.env,
    headers: { 'Backlot-Space': made.id },
    mock: (kind, mock) => transport.call('POST', `/mocks/${part(kind)}`, mock),
    remove,
    stop: remove,
  };
  // The mark for matchers and assertions stays, which a copy would lack.
  return Object.assign(members, own) as unknown as SpaceClient<P>;
}
