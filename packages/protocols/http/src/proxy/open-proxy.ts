import { isIPv6 } from 'node:net';
import { isLoopback, type ListenAddress } from '@backlot/core/plugin';
import type { ProxySettings } from '../schemas/proxy.js';

/**
 * What is to be said at the start of a proxy that others can reach, and that leads anybody on to servers of their choice.
 *
 * @param leadsOn - whether an upstream asks the servers that requests are for
 * @returns `undefined` for one that is reached by the machine alone, asks who comes, or leads nowhere
 */
export function openProxyWarning(
  { auth, tunnel = [] }: ProxySettings,
  { host, port }: ListenAddress,
  leadsOn: boolean,
): string | undefined {
  if (auth !== undefined || isLoopback(host) || (tunnel.length === 0 && !leadsOn)) return undefined;
  const place = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  return `the proxy at ${place} leads anybody who reaches it on to other servers; give it \`auth\`, or let it listen on localhost alone`;
}
