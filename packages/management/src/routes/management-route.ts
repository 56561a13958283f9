import type { Host, Kind } from '@backlot/core';
import type { Gathering } from '../gathering/gathering.js';
import {
  BacklotError,
  Type,
  invalid,
  type Route,
  type RouteAnswer,
  type RouteRequest,
  type RouteResponse,
  type TSchema,
} from '@backlot/core/plugin';

/** See {@link ManagementRoute.reach}. */
export type Reach = 'command' | 'agreed' | 'here';

/** What the handler of a route of the interface is given. */
export interface ManagementRequest extends RouteRequest {
  /** The path below which the interface is mounted, such as `/mocks`; empty at the root. */
  readonly mountPath: string;
  /** The host that the interface is of, whichever space the request is meant for. */
  readonly main: Host;
}

/** A route of the interface: it acts on the host. */
export interface ManagementRoute extends Route<Host> {
  /** Whether the host checks the body by itself, so that the router does not check it twice. */
  readonly hostChecksBody?: boolean;
  /** Whether the handler is given the bytes of the body, which need not be JSON. */
  readonly takesBytes?: boolean;
  /** Whether a body may be compressed by gzip. */
  readonly takesGzip?: boolean;
  /** What is answered to a request without the token, where one is needed; the request is refused when absent. */
  readonly withoutToken?: (host: Host, request: ManagementRequest) => RouteAnswer;
  /** Bodies to show in the description. */
  readonly examples?: readonly unknown[];
  /**
   * What its requests mean where several replicas agree: `command`: a change that all of them make; `agreed`: about what they agree on,
   * so that one answers for all; `here`: about what one alone has, such as its log and its connections. When absent, those of GET are
   * `agreed`, and others are commands.
   */
  readonly reach?: Reach;
  /** How a route about what one replica has is answered for all of them; each has to be asked by itself when absent. */
  readonly gather?: Gathering;
  /** Whether a route about what one replica has is about what clients have stored, so that it can be answered by the replica that has it. */
  readonly isAtHome?: boolean;
  /** Query parameters of an agreed route that make an answer one about what this replica alone has. */
  readonly hereWith?: readonly string[];
  /**
   * Fills in what would be made up while a command is carried out, such as ids, so that the same body gives the same everywhere.
   *
   * @returns the whole body
   */
  readonly complete?: (request: ManagementRequest, host: Host) => unknown;
  handle(request: ManagementRequest, host: Host): RouteAnswer | Promise<RouteAnswer>;
}

/** The value of a path parameter. */
export function paramOf(request: RouteRequest, name: string): string {
  return request.params[name] ?? '';
}

/** The name of a kind in the name of a route or a schema: `open-api` becomes `OpenApi`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}

/** Several of what a noun names. */
export function plural(noun: string): string {
  return /(?:[sxz]|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Refuses a change of a kind that is installed but not enabled. */
export function checkEnabled(kind: Kind): void {
  if (!kind.enabled) throw new BacklotError('not_enabled', `${kind.kind} protocol not enabled`);
}

/** The error for a part of a request; `path` is its JSON pointer. */
export function invalidAt(path: string, message: string): BacklotError {
  return invalid(message, [{ path, message }]);
}

/** A list in one line of text: `a, b`. */
export function listNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

/** A documented JSON answer. */
export function answers(description: string, schema: TSchema): RouteResponse {
  return { description, schema };
}

/** A documented error. */
export function fails(description: string): RouteResponse {
  return { description };
}

/** The answer to a deleted resource. */
export const DeletedSchema = Type.Object({
  status: Type.Literal('deleted'),
  deleted: Type.String({ description: 'The id.' }),
});

/** The answer to something that was cleared. */
export const ClearedSchema = Type.Object({ status: Type.Literal('cleared') });

/** Answers that something was cleared. */
export const CLEARED = { body: { status: 'cleared' } } as const;

/** Answers that a resource was deleted. */
export function deleted(id: string): { readonly body: unknown } {
  return { body: { status: 'deleted', deleted: id } };
}

/** Errors of routes that change a kind. */
export const NOT_ENABLED = fails('The protocol is installed but not enabled.');
