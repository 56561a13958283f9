import type { RouteAnswer } from '@backlot/core/plugin';
import type { ManagementRequest, ManagementRoute } from '../routes/management-route.js';

/**
 * How the answers of all replicas become one, for a route about what each of them has alone. In what is gathered an id `57` is `57@one`,
 * and `replica` says `one`.
 */
export type Gathering =
  | GatheredList
  | {
      /** The same on each, one after the other, with numbers that are added up. */
      readonly as: 'sums';
      /** The fields with these numbers. */
      readonly fields: readonly string[];
    }
  | {
      /** About one thing of one replica, which its id names. */
      readonly as: 'one';
      /** The parameter of the path with the id. */
      readonly param: string;
    }
  | GatheredWait
  | {
      /** Made of one thing of one replica, by the replica that is asked. */
      readonly as: 'made';
      /** The name of the route that gives this thing. */
      readonly of: string;
      readonly param: string;
      readonly make: (thing: unknown, request: ManagementRequest) => RouteAnswer;
    }
  /** Log entries as they appear. */
  | { readonly as: 'entries' }
  /** A check of the messages of all. */
  | { readonly as: 'check' };

/** Lists that become one. */
export interface GatheredList {
  readonly as: 'list';
  /** The field with the time of an item, as RFC 3339; those of one replica stand together when absent. */
  readonly time?: string;
  /** Whether a limit without a place to begin at means the newest. */
  readonly isNewest?: boolean;
  /** What `after` is where a list begins; that is left out when absent. */
  readonly start?: string;
  /** Where the list is a field of an object. */
  readonly within?: {
    readonly name: string;
    /** Fields of this object whose numbers are added up. */
    readonly sums: readonly string[];
  };
  /** Fields of items beside `id` that hold the id of a log entry. */
  readonly ids?: readonly string[];
  /** Orders what is shown. */
  readonly arrange?: (items: readonly Item[], query: Readonly<Record<string, string>>) => readonly Item[];
}

/** A wait until there are so many on all replicas together. */
export interface GatheredWait {
  readonly as: 'wait';
  /** What the list of what has come has in common with other lists. */
  readonly list: GatheredList;
  /** The route that tells how many there were; for a wait whose answer has that beside the list. */
  readonly counted?: ManagementRoute;
}

/** Something that has an id, as JSON. */
export type Item = Readonly<Record<string, unknown>>;
