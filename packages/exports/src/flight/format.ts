import type { Json } from '@backlot/core/plugin';

/** The name by which a recording says what it is. */
export const FORMAT = 'backlot-flight';
/** The version of the format that is written; a reader takes this one and those before it. */
export const VERSION = 1;
/** So many entries of one section of data are kept. */
export const MOST_DATA = 10_000;
/** What is longer as JSON is left out: it would be one step of who writes and reads it. */
export const LONGEST = 4 * 1024 * 1024;

/** What the first line says. */
export interface FlightHeader {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** The version of Backlot that has written it. */
  readonly backlot: string;
  /** Why it was written, such as the end of a command. */
  readonly reason: string;
  readonly seed: number;
  /** The virtual time. */
  readonly clock: { readonly now: string; readonly frozen: boolean };
  /** Whether secrets are in it; otherwise REDACTED stands in their places. */
  readonly has_secrets: boolean;
  readonly kinds: readonly FlightKind[];
}

/** A kind that ran. */
export interface FlightKind {
  readonly kind: string;
  readonly title: string;
  readonly url?: string;
}

/** A line behind the header. The first field says what it is. */
export type FlightLine =
  /** A part of the configuration: the value at a place, or one more of the list there. */
  | { readonly at: readonly string[]; readonly value: unknown }
  | { readonly at: readonly string[]; readonly item: unknown }
  | { readonly fault: string; readonly value: unknown }
  /** An incident that ran: what was said of it, with its whole time as `for`, and the milliseconds for which it had run. */
  | { readonly incident: string; readonly value: Json; readonly elapsed: number }
  | { readonly captured: string; readonly value: unknown }
  | { readonly data: readonly [kind: string, section: string]; readonly value: unknown }
  | { readonly calls: readonly [kind: string, mock: string]; readonly count: number }
  | { readonly entry: unknown }
  /** Something that ran and is not in the recording, as a sentence. */
  | { readonly left_out: string }
  /** The last line: how many there are before it, the header among them. */
  | { readonly end: number };
