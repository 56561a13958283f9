import type { Json } from './given.js';

/**
 * What a reaction follows, by one field: the name of a kind, with the fields by which its mocks say which messages they
 * are for; or `state`, `fault`, `webhook`, `every`, `at`, `cron`.
 */
export type ReactionTrigger = Json;

/** One thing that a reaction does, by one field beside `after`: the name of a kind, or `state`, `scenario`, `fault`, `incident`. */
export type ReactionAction = Json & {
  /** How long it waits, as in `200ms`, by the virtual clock. */
  readonly after?: string;
};

/** A reaction as it is given: what happens causes something else, over all kinds. */
export interface NewReaction {
  /** An id is made up when absent. */
  readonly id?: string;
  readonly description?: string;
  readonly on: ReactionTrigger;
  readonly do: readonly ReactionAction[];
  /** After so many times it does nothing more. */
  readonly times?: number;
  /** False: it does nothing. */
  readonly enabled?: boolean;
}

/** A reaction as it is stored. */
export type StoredReaction = NewReaction & { readonly id: string };

/** A reaction as it is shown. */
export type ReactionView = StoredReaction & {
  /** How often it was set off since the start or the last reset. */
  readonly runs: number;
  /** What went wrong last, when something did. */
  readonly last_error?: string;
};

/** The reactions of a host. Methods that take an id throw `not_found` when there is none. */
export interface ReactionCollection {
  list(): readonly ReactionView[];
  get(id: string): ReactionView;
  /** Checks a reaction as {@link create} does, and creates none. @throws BacklotError `invalid` */
  check(reaction: NewReaction): Promise<void>;
  /** Creates a reaction, which is at work at once. @throws BacklotError `invalid`, `conflict` when the id exists */
  create(reaction: NewReaction): Promise<ReactionView>;
  /** Replaces a reaction; its runs count from 0. @throws BacklotError `invalid` */
  replace(id: string, reaction: NewReaction): Promise<ReactionView>;
  remove(id: string): void;
}
