import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { RouteAnswer } from '@backlot/core/plugin';
import type { ManagementRoute, Reach } from '../routes/management-route.js';

/** A change as data: the request of a route, with all that would otherwise be made up while it is done. */
export interface Command {
  /** The name of the route. */
  readonly route: string;
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Absent when the route takes no body, or none was sent. */
  readonly body?: unknown;
  /** The space that it acts on; the main world when absent. */
  readonly space?: string;
  /** The revision after which nothing may have changed what it acts on; it is refused otherwise. */
  readonly expect?: number;
}

/** How a change is to be made. */
export interface Submission {
  /** `all`: it is answered when all live replicas have made the change; `local`: when the one that was asked has. */
  readonly consistency: 'all' | 'local';
}

/** What became of a command on the replica that was asked. */
export interface Submitted {
  readonly revision: number;
  readonly answer: RouteAnswer;
}

/** How a replica stands. */
export interface Readiness {
  readonly isReady: boolean;
  /** What `GET /api/ready` says of it, as JSON. */
  readonly view: Readonly<Record<string, unknown>>;
}

/** What one replica asks another. */
export interface ReplicaQuestion {
  readonly method: string;
  /** The path with the query, beginning with `/api/`. */
  readonly path: string;
  /** JSON. */
  readonly body?: unknown;
  /** The space that it is about; the main world when absent. */
  readonly space?: string;
  /** What may take any time: all of the answer, or the events after its head; nothing when absent. */
  readonly waits?: 'answer' | 'events';
  readonly signal: AbortSignal;
}

/** What another replica answers. */
export interface ReplicaAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Another replica, as this one asks it. */
export interface OtherReplica {
  readonly name: string;
  /** Tells apart processes of the same name; letters and digits. */
  readonly session: string;
  /** @throws BacklotError `unavailable` that names it when it does not answer in time */
  ask(question: ReplicaQuestion): Promise<ReplicaAnswer>;
}

/** What makes a management API one of several that agree: changes go through it, in the same order everywhere. */
export interface Replication {
  /** The place in the order up to which this replica has made all changes. */
  readonly revision: number;
  /** What this replica is called. */
  readonly name: string;
  /** Tells apart processes of the same name; letters and digits. */
  readonly session: string;
  /** The name of the replica that has what clients have stored; null when none has it now; absent where each has its own. */
  readonly home?: string | null | undefined;
  /**
   * The other replicas, of which each may have something to tell.
   *
   * @throws BacklotError `unavailable` when it is not known which there are
   */
  others(): Promise<readonly OtherReplica[]>;
  /** Calls back when others come and go. @returns ends it */
  onMembers(callback: () => void): () => void;
  /** Whether a request is one of another replica, by its header `Authorization`. */
  admits(request: {
    readonly method: string;
    readonly path: string;
    readonly authorization: string;
  }): boolean;
  /**
   * Puts a command into the order, and waits until it has been carried out.
   *
   * @throws BacklotError what the change itself says; `unavailable` when it is certain that it is not made; `unconfirmed` when it will be
   * made, or that is not known, and not all who should have said that they have made it
   */
  submit(command: Command, how: Submission): Promise<Submitted>;
  /** Resolves when this replica has come to a revision. @throws BacklotError `unconfirmed` when that takes too long */
  reach(revision: number, signal: AbortSignal): Promise<void>;
  readiness(): Readiness;
}

/** Whether the requests of a route are changes that all replicas make, are about what they agree on, or about one alone. */
export function reachOf(route: ManagementRoute): Reach {
  return route.reach ?? (route.method === 'GET' ? 'agreed' : 'command');
}
