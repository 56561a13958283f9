/** `127.0.0.1:80`, or `[::1]:80` for an IPv6 literal (RFC 3986, section 3.2.2). */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** An address without the `::ffff:` that a socket listening on `::` puts before IPv4 peers (RFC 4291, section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
