/** A token that was verified: its claims, or why it does not count, in words that continue "the token ...". */
export type Verified =
  | { readonly claims: Readonly<Record<string, unknown>>; readonly problem: undefined }
  | { readonly claims: undefined; readonly problem: string };
