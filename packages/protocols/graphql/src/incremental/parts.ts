import type { GraphQLError } from 'graphql';
import type { Failure } from '../answer/failure.js';
import type { DeferUsage } from './defer-plan.js';

/** Names of fields and indexes of lists. */
export type Place = readonly (string | number)[];

/** The parts of the fragments that are put off, at one place of the result. */
export type PartScope = ReadonlyMap<DeferUsage, FragmentPart>;

/** Fields of an object that come with a part. */
export interface Piece {
  /** Where the object is. */
  readonly path: Place;
  readonly object: object;
  /** Which of its fields. */
  readonly keys: string[];
  readonly scope: PartScope;
}

/** What both kinds of parts have. */
interface PartBase {
  readonly label: string | undefined;
  readonly path: Place;
  /** The part that must have come before. */
  readonly after: Part | undefined;
  /** Errors of the fields that it brings. */
  readonly errors: Failure[];
  /** Why it does not come, or not wholly. */
  failure: GraphQLError | undefined;
}

/** The fields of a fragment that was put off. */
export interface FragmentPart extends PartBase {
  readonly type: 'fragment';
  readonly usage: DeferUsage;
  /** The object at which the fragment stands. */
  readonly object: object;
  /** By the objects that they are of. */
  readonly pieces: Map<object, Piece>;
}

/** The items of a list that come after the first ones. */
export interface ItemsPart extends PartBase {
  readonly type: 'items';
  readonly items: readonly unknown[];
  /** The index of the first one of them. */
  readonly start: number;
  readonly scope: PartScope;
}

/** A part of a result that comes later. */
export type Part = FragmentPart | ItemsPart;
