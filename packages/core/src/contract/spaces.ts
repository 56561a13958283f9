import type { ValueOf } from './schema.js';
import { Type } from './schema.js';
import type { Host } from './host.js';

/** The id of a space: a label of a host name, since `t1.localhost` leads to the space `t1`. */
export const SPACE_ID = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$';

/** What a space is made of. */
export const NewSpaceSchema = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: SPACE_ID,
        description:
          'The id: 1 to 63 lower case letters, digits and hyphens; when absent, one is generated. Clients name it by header, host or login.',
      }),
    ),
    protocols: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          'The protocols that listen on free ports of their own at once; none when absent. Others start when they are first used.',
        uniqueItems: true,
      }),
    ),
    ttl: Type.Optional(
      Type.String({
        description:
          'How long it lives without being used, by real time, as in `10m`; as the configuration says when absent.',
      }),
    ),
    seed: Type.Optional(
      Type.Integer({ description: 'The seed of its chance; that of the server when absent.' }),
    ),
  },
  { additionalProperties: false },
);

/** What a space is made of. */
export type NewSpace = ValueOf<typeof NewSpaceSchema>;

/** Where a kind of a space listens. */
export interface SpaceListener {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** A space as it is shown. */
export interface SpaceView {
  readonly id: string;
  /** Dates of real time. */
  readonly created_at: string;
  /** When it ends, unless it is used before. */
  readonly expires_at: string;
  readonly seed: number;
  /** Its own listeners by kind: those that have started. */
  readonly protocols: Readonly<Record<string, SpaceListener>>;
  /** The environment variables that tell programs where they are, such as `REDIS_URL`. */
  readonly env: Readonly<Record<string, string>>;
}

/** A world of its own beside the others of the same process. */
export interface Space {
  readonly id: string;
  /** All that it has: mocks, state, journal, clock and so on. Its `start` has happened, and `stop` is {@link SpaceCollection.remove}. */
  readonly host: Host;
  view(): SpaceView;
  /** Says that somebody uses it, so that its time begins anew. Messages to it count by themselves. */
  use(): void;
  /** Calls back once it has ended. @returns a function that takes the callback back */
  onEnd(callback: () => void): () => void;
}

/** The spaces of a host. */
export interface SpaceCollection {
  /** How many there are. */
  readonly size: number;
  list(): readonly Space[];
  /** @throws BacklotError `not_found`, which says how it ended when there was one */
  get(id: string): Space;
  /** @returns undefined when there is no such space */
  find(id: string): Space | undefined;
  /**
   * Makes a space with the mocks, scenarios, faults, state and collections of the configuration, and starts the kinds that are
   * named in it.
   *
   * @throws BacklotError `invalid`; `conflict` when the id is taken, or the bound is reached by spaces that are all in use;
   * `not_enabled` before the host has started
   */
  create(space?: NewSpace): Promise<Space>;
  /** Calls back for each space that is made, before anything happens in it. @returns a function that ends that */
  onMade(callback: (space: Space) => void): () => void;
  /** Ends a space: its connections are closed. @throws BacklotError `not_found` */
  remove(id: string): Promise<void>;
  /**
   * Leaves it to the caller to end spaces that are not used: none ends by itself any more, nor for a further one, and
   * {@link idle} says which might.
   */
  keepIdle(): void;
  /** The ids of those that were not used for their time. */
  idle(): readonly string[];
}

/** How many spaces there may be, and how long they live. */
export interface SpaceLimits {
  /** How many there may be at once; 1,000 when absent. The one that was not used for longest ends for a further one. */
  readonly max?: number;
  /** How long one lives without being used, when it does not say; `1h` when absent. */
  readonly ttl?: string;
}
