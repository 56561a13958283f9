/** A path of an absolute url of the upstream, as clients of ours have to ask for it; `undefined` for another server. */
export type OwnPath = (location: string) => string | undefined;

/** A header of an answer for clients that go on asking us: what leads to the upstream by its name leads here. */
export function rewriteHeader(key: string, value: string, ownPath: OwnPath): string {
  if (key === 'location' || key === 'content-location') return ownPath(value) ?? value;
  return key === 'set-cookie' ? value.replaceAll(/;\s*domain=[^;]*/gi, '') : value;
}
