import type { FieldNode, GraphQLError } from 'graphql';

/** Fields by the name under which they are answered. */
type Groups = ReadonlyMap<string, readonly FieldNode[]>;

/** What is known of a list that comes in parts. */
export interface NotedList {
  readonly nodes: readonly FieldNode[];
  /** Of the item after the last one, when it failed and with it the rest. */
  readonly failure?: GraphQLError;
}

/** What a finished result was made of: of which fields its objects are, and what of them failed. */
export class NotedResult {
  readonly #groups = new WeakMap<object, Groups>();
  readonly #failures = new WeakMap<object, Map<string, GraphQLError>>();
  readonly #lists = new WeakMap<object, NotedList>();

  /** Says of which fields an object is made. */
  note(value: object, groups: Groups): void {
    this.#groups.set(value, groups);
  }

  /** Says that a field of an object failed which is delivered after the object. */
  fail(value: object, key: string, error: GraphQLError): void {
    const known = this.#failures.get(value);
    if (known === undefined) this.#failures.set(value, new Map([[key, error]]));
    else known.set(key, error);
  }

  /** Says of which field a list is the value. */
  noteList(value: object, list: NotedList): void {
    this.#lists.set(value, list);
  }

  groupsOf(value: object): Groups | undefined {
    return this.#groups.get(value);
  }

  failuresOf(value: object): ReadonlyMap<string, GraphQLError> | undefined {
    return this.#failures.get(value);
  }

  listOf(value: object): NotedList | undefined {
    return this.#lists.get(value);
  }
}
