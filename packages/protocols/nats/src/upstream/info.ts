import type { ListenAddress } from '@backlot/core/plugin';

/** How the listener of Backlot is reached, which clients are told in place of how the upstream is. */
export interface OwnFacts {
  readonly place: ListenAddress;
  readonly tls: 'required' | 'available' | 'none';
}

/** An INFO line of the upstream, as far as it is looked at. */
export interface ReadInfo {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly needsTls: boolean;
}

/**
 * Reads an INFO line.
 *
 * @throws Error for what is none
 */
export function readInfo(line: Buffer): ReadInfo {
  const json = /^INFO\s+(\{[^]*\})\s*$/i.exec(line.toString('utf8'))?.[1];
  if (json === undefined) throw new Error('the upstream does not greet with an INFO line as NATS does');
  const fields = JSON.parse(json) as Record<string, unknown>;
  return { fields, needsTls: fields['tls_required'] === true };
}

/**
 * Writes the line for clients: without the other servers of the cluster, to which they would go past Backlot, and with the TLS
 * of the listener in place of that of the upstream.
 */
export function writeInfo({ fields }: ReadInfo, { place, tls }: OwnFacts): Buffer {
  const {
    connect_urls: _urls,
    ws_connect_urls: _webSockets,
    tls_required: _required,
    tls_available: _available,
    tls_verify: _verify,
    ...rest
  } = fields;
  const own = {
    ...rest,
    host: place.host,
    port: place.port,
    ...(tls === 'required' ? { tls_required: true } : {}),
    ...(tls === 'available' ? { tls_available: true } : {}),
  };
  return Buffer.from(`INFO ${JSON.stringify(own)} \r\n`);
}
