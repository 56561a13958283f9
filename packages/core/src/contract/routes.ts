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

/**
 * A list, written an item at a time as its client reads, so that it is never one text, however long it is. A route that
 * declares `pages` gives all of its items: the interface finds the page that is asked for.
 */
export interface ListAnswer {
  readonly status?: number;
  /**
   * The items in order. It must not change while it is read, which may take minutes: a copy of an array of values that
   * never change is such a view.
   */
  readonly list: Iterable<unknown>;
  /** What is shown of an item, made when its turn comes; the item itself when absent. */
  readonly show?: (item: never) => unknown;
  /** The id by which `after` names an item; the field that `pages` names when absent. */
  readonly idOf?: (item: never) => string;
  /** Which items are shown; `after` may name one that is not. All when absent. */
  readonly where?: (item: never) => boolean;
  /** The object whose last field the list is; the list itself is answered when absent. */
  readonly within?: { readonly fields: Readonly<Record<string, unknown>>; readonly name: string };
}

/** How pages of a list are asked for. */
export interface PagesDeclaration {
  /** The field of an item by which `after` names it; `id` when absent. */
  readonly idField?: string;
  /** Whether items hold what clients sent: their long texts are cut, see the query parameter `max_body`. */
  readonly cutsTexts?: boolean;
}

/** A route's answer: a JSON body, a list, an object of many fields, a text of another type, or a stream of server-sent events. */
export type RouteAnswer =
  | { readonly status?: number; readonly body: unknown }
  | ListAnswer
  | {
      readonly status?: number;
      /** The fields of an object, written one at a time as those of a list are. */
      readonly entries: Iterable<readonly [key: string, value: unknown]>;
    }
  | {
      readonly status?: number;
      readonly text: string;
      readonly contentType: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
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
  /** Schemas of the query parameters, all optional; a request with any other is refused. */
  readonly query?: Readonly<Record<string, TSchema & { description?: string }>>;
  /**
   * The route answers a {@link ListAnswer} of which pages can be asked for: the interface adds the query parameters
   * `limit` and `after`, and keeps to them.
   */
  readonly pages?: PagesDeclaration;
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
