/** The server that a client of the proxy means. */
export interface Origin {
  /** Whether it is reached by TLS. */
  readonly isSecure: boolean;
  /** A name in lower case, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether what is asked goes there unseen. */
  readonly isTunnelled: boolean;
}

/** A host with its port, where that is not the one of the scheme. */
export function authorityOf({ host, port, isSecure }: Origin): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (isSecure ? 443 : 80) ? name : `${name}:${port}`;
}

/** The target of a CONNECT; `undefined` for what is none (RFC 9112, section 3.2.3). */
export function readAuthority(target: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+):(\d{1,5})$/i.exec(target) ?? [];
  const port = Number(digits);
  if (host === '' || port < 1 || port > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, '').toLowerCase(), port };
}

/** The server of a whole url as a target (RFC 9112, section 3.2.2); `undefined` for another target. */
export function readTarget(target: string): Omit<Origin, 'isTunnelled'> | undefined {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { protocol, hostname, port } = new URL(target);
  const isSecure = protocol === 'https:';
  return {
    isSecure,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
  };
}
