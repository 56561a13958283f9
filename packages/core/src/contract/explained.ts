/** How people write a message for `POST /api/explain/<kind>`. A field that is neither named here nor one of a journal entry is refused. */
export interface ExplainedForms {
  /**
   * Further fields, such as those that the mocks have for the same, by name: where they stand in the entry, as JSON
   * pointers. `{ topic: '/path', key: '/query/key' }`; one that `explain` reads by itself stands at its own name. The
   * fields of an object at the place `""` are fields of the entry.
   */
  readonly fields?: Readonly<Record<string, string>>;
  /**
   * Where a journal entry has what a field of a mock for such messages would say, for fields of mocks that have another place above or
   * none: `{ command: '/method' }`. From these, and from {@link fields} that are fields of an entry, pages draft a mock.
   */
  readonly draft?: Readonly<Record<string, string>>;
  /** A line by which people write a message, where the protocol has a natural one. */
  readonly line?: {
    /** Such as `GET /users/7`. */
    readonly example: string;
    /** Makes the entry, which may have {@link fields}. @throws BacklotError `invalid` when it is no such line */
    read(line: string): Readonly<Record<string, unknown>>;
  };
}
