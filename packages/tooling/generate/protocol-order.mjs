import { listPackages } from '../scripts/lib/workspace.mjs';

/** The order in which protocols are listed, the one of the specification of the management API. */
export const PROTOCOL_ORDER = [
  'http',
  'websocket',
  'grpc',
  'graphql',
  'tcp',
  'redis',
  'smtp',
  'mqtt',
  'nats',
  'snmp',
  'dns',
  'amqp',
  'kafka',
  'ldap',
  'imap',
  'ftp',
  'memcached',
  'stomp',
  'coap',
  'sip',
];

/**
 * @param {string} root
 * @returns {{ kind: string, name: string }[]} the protocol packages of the workspace with their package names, in the
 * order above; others follow by name
 */
export function listProtocols(root) {
  /** @param {string} kind */
  const rank = (kind) =>
    PROTOCOL_ORDER.includes(kind) ? PROTOCOL_ORDER.indexOf(kind) : PROTOCOL_ORDER.length;
  return listPackages(root)
    .filter(({ path }) => path.startsWith('packages/protocols/'))
    .map(({ path, manifest }) => ({ kind: path.slice('packages/protocols/'.length), name: manifest.name }))
    .sort((a, b) => rank(a.kind) - rank(b.kind) || a.kind.localeCompare(b.kind));
}
