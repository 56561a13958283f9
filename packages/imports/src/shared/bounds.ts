/** So many mocks are made of one file at the most; the report says which are left out. */
export const MOST_MOCKS = 20_000;
