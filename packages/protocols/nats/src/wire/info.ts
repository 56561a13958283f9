import type { Connection } from '@backlot/kit';

/** The version whose behaviour is followed; clients read from it what they may use. */
const VERSION = '2.9.10';

/** What the greeting says of the server. */
export interface ServerFacts {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly maxPayload: number;
  readonly needsLogin: boolean;
  readonly hasJetStream: boolean;
  /** Whether clients have to use TLS, may upgrade to it, or cannot. */
  readonly tls: 'required' | 'available' | 'none';
}

/** The line that a server greets with (NATS client protocol, "INFO"). */
export function encodeInfo(facts: ServerFacts, clientId: number, connection: Connection): string {
  const info = {
    server_id: facts.id,
    server_name: facts.id,
    version: VERSION,
    proto: 1,
    host: facts.host,
    port: facts.port,
    headers: true,
    max_payload: facts.maxPayload,
    ...(facts.hasJetStream ? { jetstream: true } : {}),
    ...(facts.needsLogin ? { auth_required: true } : {}),
    ...(facts.tls === 'required' ? { tls_required: true } : {}),
    ...(facts.tls === 'available' ? { tls_available: true } : {}),
    client_id: clientId,
    client_ip: connection.remoteAddress,
  };
  return `INFO ${JSON.stringify(info)} \r\n`;
}
