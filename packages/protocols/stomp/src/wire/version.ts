/** A version of the protocol. */
export type Version = '1.0' | '1.1' | '1.2';

/** What this server speaks, lowest first. */
export const VERSIONS: readonly Version[] = ['1.0', '1.1', '1.2'];

/**
 * The highest version that both ends speak (STOMP 1.2, "Protocol Negotiation").
 *
 * @param accepted - the header `accept-version`; a client that sends none speaks 1.0
 * @returns `undefined` when there is no such version
 */
export function negotiateVersion(accepted: string | undefined): Version | undefined {
  if (accepted === undefined) return '1.0';
  const offered = new Set(accepted.split(',').map((version) => version.trim()));
  return [...VERSIONS].reverse().find((version) => offered.has(version));
}
