/** What listings say of a file or a directory. */
export interface Entry {
  /** Empty for the root. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** The Unix mode. */
  readonly mode: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}
