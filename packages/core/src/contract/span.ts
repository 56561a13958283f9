/** What entries of spans have in place of a kind. No protocol may be called so. */
export const SPAN = 'span';

/** A value of an attribute: plain JSON; whole numbers that JavaScript cannot hold are texts. */
export type SpanValue =
  string | number | boolean | null | readonly SpanValue[] | { readonly [name: string]: SpanValue };

/** Attributes by name. */
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/**
 * A span of an application: a piece of its work, within a trace. Ids are hexadecimal in lower case, times nanoseconds since 1970 as
 * texts, since JavaScript has no such numbers.
 */
export interface Span {
  /** The id of the trace: 32 digits. */
  readonly trace: string;
  /** 16 digits. */
  readonly id: string;
  /** The id of the span that it is a part of; absent for the first of a trace. */
  readonly parent?: string;
  readonly name: string;
  /** What it stands for: `internal`, `server`, `client`, `producer` or `consumer`. */
  readonly kind: string;
  /** What made it: `service.name` of its resource; `unknown_service` where it has none. */
  readonly service: string;
  /** How it ended: `unset`, `ok` or `error`. */
  readonly status: string;
  /** Why it ended so. */
  readonly message?: string;
  readonly start: string;
  readonly end: string;
  readonly attributes: SpanAttributes;
  /** The attributes of what made it. */
  readonly resource: SpanAttributes;
  /** The library that made it. */
  readonly scope: { readonly name: string; readonly version?: string };
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly SpanLink[];
  /** There when something was left out: how many attributes, events, links and elements at all levels, and how many texts were cut. */
  readonly dropped?: number;
}

/** What happened during a span. */
export interface SpanEvent {
  readonly name: string;
  readonly time: string;
  readonly attributes: SpanAttributes;
}

/** Another span that belongs to a span. */
export interface SpanLink {
  readonly trace: string;
  readonly id: string;
  readonly attributes: SpanAttributes;
}
