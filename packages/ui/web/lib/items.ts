/** A captured message, in the form of its kind. */
export type Message = Readonly<Record<string, unknown>>;

/** An entry of a section of data, in the form of its kind. */
export type DataEntry = Readonly<Record<string, unknown>>;
