import { Type } from '@sinclair/typebox';
import { defineIncident, type IncidentDeclaration } from '../contract/incident.js';
import type { Protocol } from '../contract/protocol.js';

/** The incidents of a protocol by their whole names, which begin with that of the kind. */
export function incidentsOf(protocol: Protocol): readonly (readonly [string, IncidentDeclaration])[] {
  return Object.entries(protocol.incidents ?? {}).map(([name, incident]) => [
    `${protocol.kind}-${name}`,
    incident,
  ]);
}

const TlsFields = Type.Object(
  {
    protocols: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 100,
        description: 'The protocols that it befalls; all that use TLS when absent.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Incidents of every kind that uses TLS, by name. */
export const TLS_INCIDENTS: Readonly<Record<string, IncidentDeclaration>> = {
  'tls-expired': defineIncident({
    summary: 'The certificate has expired: handshakes show one whose time was over yesterday.',
    advice:
      'It does not connect, says that the certificate has expired and until when it was valid, and never goes on without the check. It tries again with growing pauses, since the certificate will be renewed.',
    lasts: '5m',
    fields: TlsFields,
    stages: () => [{ fault: { tls: 'expired' } }],
  }),
  'tls-wrong-host': defineIncident({
    summary: 'The certificate is for another host: handshakes show one for `wrong.host.invalid`.',
    advice:
      'It does not connect, and names both the host that it wanted and those of the certificate. It never sends credentials before the name was checked.',
    lasts: '5m',
    fields: TlsFields,
    stages: () => [{ fault: { tls: 'wrong_host' } }],
  }),
};
