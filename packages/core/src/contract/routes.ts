import type { TSchema } from './schema.js';

/** What a route's handler is given. Values are validated against the route's schemas before. */
export interface RouteRequest<
  Params = Readonly<Record<string, string>>,
  Query = Readonly<Record<string, string>>,
  Body = unknown,
> {
  /** Decoded path parameters. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** Receives the events of a stream. */
export interface EventSink {
  /** Whether the client takes more now; when it is false, events wait in memory. */
  readonly ready: boolean;
  /** Sends one server-sent event. */
  send(event: { id?: string; event?: string; data: string }): void;
  /** Sends a comment line. */
  comment(text: string): void;
  /** Calls back once each time the client takes more again. */
  onReady(callback: () => void): void;
}

/** A route's answer: a JSON body, a text of another type, or a stream of server-sent events. */
export type RouteAnswer =
  | { readonly status?: number; readonly body: unknown }
  | { readonly status?: number; readonly text: string; readonly contentType: string }
  | { readonly events: (sink: EventSink) => () => void };

/** A documented answer of a route. */
export interface RouteResponse {
  readonly description: string;
  /** Absent when the body is not JSON. */
  readonly schema?: TSchema;
  /** `application/json` when absent. */
  readonly contentType?: string;
}

/** One route of the management port, as data: mounted and documented from the same value. */
export interface Route<Target = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with `{name}` parameters, beginning with `/api/`. */
  readonly path: string;
  /** Unique in the whole interface; OpenAPI's operationId. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Schemas of the path parameters, where they are more than a string. */
  readonly params?: Readonly<Record<string, TSchema>>;
  /** Schemas of the query parameters, all optional; others are ignored. */
  readonly query?: Readonly<Record<string, TSchema & { description?: string }>>;
  /** The schema of the JSON body, absent when the route takes none. */
  readonly body?: TSchema;
  /** Whether an empty body is accepted as absent. */
  readonly bodyOptional?: boolean;
  /** Answers by status; errors share one shape, so a description is enough for them. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** What is answered while the kind is not enabled, such as an empty list; 503 when absent. */
  readonly whenNotEnabled?: RouteAnswer;
  /** Answers the request; throws a BacklotError for anything else than success. */
  handle(request: RouteRequest, target: Target): RouteAnswer | Promise<RouteAnswer>;
}
