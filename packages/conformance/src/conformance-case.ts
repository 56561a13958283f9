/** One thing that a protocol must do. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with what was found and what would be right. */
  run(): Promise<void>;
}

/** Cases that belong together. */
export interface ConformanceGroup {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}
