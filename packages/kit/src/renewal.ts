/** What several listeners have read anew, as one: see `Service.renew`. */
export function together(renewals: readonly ((() => void) | undefined)[]): (() => void) | undefined {
  const all = renewals.filter((take) => take !== undefined);
  if (all.length === 0) return undefined;
  return () => {
    for (const take of all) take();
  };
}
