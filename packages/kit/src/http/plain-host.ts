/** A host as mocks match it: in lower case, and without the port of the scheme. @param authority - as `Host` and `:authority` have it */
export function plainHost(authority: string, isSecure: boolean): string {
  return authority.toLowerCase().replace(isSecure ? /:443$/ : /:80$/, '');
}
