/** A format of files, as the server lists it. */
export interface Format {
  readonly format: string;
  readonly title: string;
}

/** Something that an import or an export could not carry over as it was. */
export interface Note {
  readonly place: string;
  readonly message: string;
  readonly count: number;
}

/** How many there are, by what they are: `http mocks`. */
export type Counts = Readonly<Record<string, number>>;

/** What is lost on the way. */
export interface Losses {
  readonly title: string;
  readonly approximated: readonly Note[];
  readonly refused: readonly Note[];
}

/** What was made of a file, as `POST /api/import` has it. */
export interface ImportReport extends Losses {
  readonly taken: Counts;
  readonly created: Counts;
  readonly replaced: Counts;
  readonly left: readonly string[];
}

/** What a file has, as `GET /api/export` has it. */
export interface ExportReport extends Losses {
  readonly written: Counts;
}

/** Counts as people write them: `2 http mocks, 1 state keys`. */
export function wordsOfCounts(counts: Counts): string {
  const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
