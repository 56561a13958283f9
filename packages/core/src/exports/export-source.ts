import type { ExportKind, ExportSource } from '../contract/exports.js';
import type { CommandPlace } from '../contract/commands.js';
import type { Host } from '../contract/host.js';
import type { Kind } from '../contract/kind.js';
import { reachableHost } from '../host/url-of.js';

/** What exporters see of a host. */
export function exportSource(host: Host): ExportSource {
  const kinds = host.kinds.filter(({ enabled }) => enabled).map(kindOf);
  return {
    version: host.version,
    kinds,
    kind: (name) => kinds.find(({ kind }) => kind === name),
    configuration: () => host.configuration(),
    log: () => host.journal.items(),
  };
}

function kindOf(kind: Kind): ExportKind {
  const place = placeOf(kind);
  return {
    kind: kind.kind,
    protocol: kind.protocol,
    ...(place === undefined ? {} : { place }),
    *data(section) {
      if (kind.service === undefined || !kind.data.sections.includes(section)) return;
      for (const entry of kind.data.entries(section)) {
        const shown = entry.read();
        if (shown !== undefined) yield shown;
      }
    },
    captured: () => kind.captures?.items() ?? [],
  };
}

/** Where the server of a kind is reached; undefined while it does not listen. */
export function placeOf(kind: Kind): CommandPlace | undefined {
  const { address, url } = kind;
  if (address === undefined || url === undefined) return undefined;
  const { tls } = kind.status() as { tls?: boolean };
  return { host: reachableHost(address.host), port: address.port, tls: tls === true, url };
}
