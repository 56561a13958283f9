/** What bounds what a dump becomes. */
export interface DumpBounds {
  /** Bytes that all packed texts together may become. */
  readonly mostUnpacked: number;
  /** Told how much a value takes so far. @throws CommandError when that is too much */
  check(bytes: number): void;
}
