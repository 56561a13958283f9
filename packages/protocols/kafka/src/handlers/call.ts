import type { Connection, JobQueue } from '@backlot/kit';
import type { ListenAddress } from '@backlot/core/plugin';
import type { Operation, Resource } from '../broker/acl.js';
import type { Acls } from '../broker/acls.js';
import type { Broker } from '../broker/broker.js';
import type { Groups } from '../broker/groups.js';
import type { Transactions } from '../broker/transactions.js';
import type { Registry } from '../registry/registry.js';
import type { KafkaContext } from '../shape.js';
import type { Api, RequestOf, ResponseOf } from '../wire/api.js';
import type { Fields } from '../wire/fields.js';

/** The id of the one broker. */
export const NODE_ID = 1;
export const CLUSTER_ID = 'backlot';

/** What handlers work on. */
export interface Services {
  readonly context: KafkaContext;
  readonly broker: Broker;
  readonly groups: Groups;
  readonly transactions: Transactions;
  readonly acls: Acls;
  /** The schema registry, where there is one. */
  readonly registry: Registry | undefined;
  /** For requests that take long. */
  readonly jobs: JobQueue;
  /** An id for an idempotent producer. */
  nextProducerId(): number;
  /** An id of a record; apart from requests, since captured records hold on to it. */
  readonly newId: () => string;
}

/** One request beside its fields. */
export interface Call {
  readonly version: number;
  readonly clientId: string;
  /** Whether the rules let the client do something. */
  may(operation: Operation, resource: Resource, name: string): boolean;
  /** Whether the rules let the client do something to some resource of a kind. */
  maySome(operation: Operation, resource: Resource): boolean;
  /** Says who has logged in. */
  loggedIn(user: string): void;
  readonly connection: Connection;
  /** Where the client is told to connect to. */
  readonly place: ListenAddress;
  /** What is done when the client leaves before it is answered. */
  onLeave(callback: () => void): void;
  /** An orderly stop waits for this answer. */
  holdStop(): void;
}

/** What answers a request: at once, later, or in steps between which others are let in. With `undefined` there is no answer. */
export type Answering<R> =
  R | undefined | Promise<R | undefined> | Generator<unknown, R | undefined | Promise<R | undefined>>;

/** Answers a request. */
export type Handler<A> = (request: RequestOf<A>, call: Call, services: Services) => Answering<ResponseOf<A>>;

/** Whether an answer is made in steps. */
export function isInSteps(answer: unknown): answer is Generator {
  return typeof answer === 'object' && answer !== null && Symbol.iterator in answer && 'next' in answer;
}

/** An API with its handler, of whatever kind. */
export interface Served {
  readonly api: Api;
  readonly handle: (request: never, call: Call, services: Services) => unknown;
}

/** Puts an API and its handler together. */
export function serve<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
  handle: Handler<Api<Request, Response>>,
): Served {
  return { api, handle };
}
