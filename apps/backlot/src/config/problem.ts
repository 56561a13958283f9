/** A place in a file, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Something wrong in a configuration file. */
export interface ConfigProblem {
  /** The file, as it was named, or the flag; that of the whole configuration when absent. */
  readonly file?: string | undefined;
  /** Absent when the problem is the file as a whole. */
  readonly place: Place | undefined;
  /** The path in the document as people write it: `protocols.http.mocks[3].response`; empty for none. */
  readonly path: string;
  /** What was wrong, with the value, and what would be right. */
  readonly message: string;
}

/** One line for a person: `backlot.yaml:12:7: protocols.http.port: must be ...`. */
export function formatProblem(file: string, problem: ConfigProblem): string {
  const { place, file: named = file } = problem;
  const where = place === undefined ? named : `${named}:${place.line}:${place.column}`;
  const path = problem.path === '' ? '' : `${problem.path}: `;
  return `${where}: ${path}${problem.message.replaceAll(/\s*\n\s*/g, ' ')}`;
}

/** A configuration that cannot be used. The message has a line for each problem. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
  /** The lines of the message. */
  readonly lines: readonly string[];
  /** The files that had been read, and the folders of further ones, absolute; for who waits until they are mended. */
  read: { readonly files: readonly string[]; readonly folders: readonly string[] } = {
    files: [],
    folders: [],
  };

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const lines = problems.map((problem) => formatProblem(file, problem));
    super(lines.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.lines = lines;
  }
}

/** In the order of the files as they come up, and of each file; problems without a place come first. */
export function sortProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const files = [...new Set(problems.map(({ file }) => file))];
  const line = ({ place }: ConfigProblem): number => place?.line ?? 0;
  const column = ({ place }: ConfigProblem): number => place?.column ?? 0;
  return [...problems].sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || line(a) - line(b) || column(a) - column(b),
  );
}
