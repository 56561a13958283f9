/** Exact numbers of published entries; the journal adds to them, whoever owns the mocks reads them. */
export interface LogCounter {
  logged: number;
}
