import type { TSchema } from './schema.js';

/** What a route's handler is given. Parameters, query and body have been checked against the route's schemas. */
export interface RouteRequest<
  Params = Readonly<Record<string, string>>,
  Query = Readonly<Record<string, string>>,
  Body = unknown,
> {
  /** Decoded path parameters. */
  readonly params: Params;
  /** Decoded query parameters, by name. */
  readonly query: Query;
  /** The JSON body; `undefined` when the route takes none, or an optional one was not sent. */
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborted when the client leaves before it is answered. */
  readonly signal: AbortSignal;
}

/** Sends server-sent events to one client. */
export interface EventSink {
  /** Whether the client keeps up. While it is false, events that are sent wait in memory: wait for {@link onReady}. */
  readonly ready: boolean;
  /** Sends one server-sent event. */
  send(event: { id?: string; event?: string; data: string }): void;
  /** Sends a comment line. */
  comment(text: string): void;
  /** Ends the answer: nothing more will come. */
  end(): void;
  /** Calls back each time {@link ready} becomes true again. */
  onReady(callback: () => void): void;
}

/**
 * A list as an answer. It is written an item at a time as its client reads, so a long one is never held as one text. A
 * route that declares `pages` gives all items: the page that the client asks for is cut out of them.
 */
export interface ListAnswer {
  readonly status?: number;
  /**
   * The items in order. The list must not change while it is read, which may take minutes: give a copy of an array
   * whose items never change.
   */
  readonly list: Iterable<unknown>;
  /**
   * Makes what is shown of an item, when it is written; the item itself is shown when absent. Where `pages` cut texts, it is told
   * how many characters are shown of each, and may give beginnings with the field `truncated` for longer ones.
   */
  readonly show?: (item: never, maxText: number) => unknown;
  /** The id of an item, for `after`; when absent, the field that `pages` names. */
  readonly idOf?: (item: never) => string;
  /** Whether an item is shown; all are when absent. `after` may name an item that is not shown. */
  readonly where?: (item: never) => boolean;
  /** Answers an object with these fields and the list as its last one, called `name`; the list alone when absent. */
  readonly within?: { readonly fields: Readonly<Record<string, unknown>>; readonly name: string };
}

/** How clients ask for pages of a list. */
export interface PagesDeclaration {
  /** The field that holds the id of an item, for `after`; `id` when absent. */
  readonly idField?: string;
  /**
   * Whether items hold texts that clients sent. Long ones are then cut, and there is the query parameter `max_body`.
   * Default false.
   */
  readonly cutsTexts?: boolean;
}

/** A file as an answer, written a piece at a time as its client reads. */
export interface FileAnswer {
  readonly status?: number;
  /**
   * The pieces; one that is absent lets other work in. What is thrown before the first piece is answered as an error, and ends
   * the connection later.
   */
  readonly pieces:
    Iterator<string | Uint8Array | undefined, void> | AsyncIterator<string | Uint8Array | undefined, void>;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A route's answer: a JSON body, a list, an object of many fields, a text or bytes of another type, a file in pieces, or a
 * stream of server-sent events.
 */
export type RouteAnswer =
  | {
      readonly status?: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | ListAnswer
  | {
      readonly status?: number;
      /** The fields of an object, written one at a time as its client reads. */
      readonly entries: Iterable<readonly [key: string, value: unknown]>;
    }
  | {
      readonly status?: number;
      readonly text: string;
      readonly contentType: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly status?: number;
      readonly bytes: Uint8Array;
      readonly contentType: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | FileAnswer
  | { readonly events: (sink: EventSink) => () => void };

/** An answer of a route, as OpenAPI documents it. */
export interface RouteResponse {
  readonly description: string;
  /** Absent when the body is not JSON. */
  readonly schema?: TSchema;
  /** `application/json` when absent. */
  readonly contentType?: string;
}

/** One route of the management API as data, from which it is mounted and documented. */
export interface Route<Target = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with `{name}` parameters, beginning with `/api/`. */
  readonly path: string;
  /** OpenAPI's `operationId`; unique among all routes. */
  readonly name: string;
  /** The heading under which OpenAPI and the docs list it. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The schemas of path parameters that are not just texts. */
  readonly params?: Readonly<Record<string, TSchema>>;
  /**
   * The schemas of the query parameters, all of them optional. A request with any other parameter is answered with 400.
   */
  readonly query?: Readonly<Record<string, TSchema & { description?: string }>>;
  /**
   * Given when the route answers a {@link ListAnswer}: clients can then ask for pages of it. The query parameters
   * `limit` and `after` are added and applied by the management API.
   */
  readonly pages?: PagesDeclaration;
  /** The schema of the JSON body; absent when the route takes none. */
  readonly body?: TSchema;
  /** Whether the body may be left out. Default false. */
  readonly bodyOptional?: boolean;
  /** The answers by status. All errors have the same body, so a description is enough for them. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** The answer while the kind is not enabled, such as an empty list; when absent, an error with status 503. */
  readonly whenNotEnabled?: RouteAnswer;
  /** Answers the request. @throws BacklotError for anything but success; its code gives the status */
  handle(request: RouteRequest, target: Target): RouteAnswer | Promise<RouteAnswer>;
}
