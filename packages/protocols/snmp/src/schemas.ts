import { closedObject, Type } from '@backlot/core/plugin';
import { TYPE_NAMES } from './parse-value.js';

const TypeNameSchema = Type.Union(
  TYPE_NAMES.map((name) => Type.Literal(name)),
  {
    description:
      'The type of the value; integer for numbers, string for texts and null for none when absent. `hex` is an OCTET STRING ' +
      'and `opaque` an Opaque whose `value` is written as hexadecimal octets.',
  },
);

const ValueSchema = Type.Union([Type.String(), Type.Number(), Type.Null()], {
  description:
    'The value; a text may be a template. A counter64 beyond 2^53 is written as a text; null has none.',
});

/** What `protocols.snmp` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  community: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      default: 'public',
      description: 'The community of v1 and v2c; messages with another one are not answered.',
    }),
  ),
  v3_users: Type.Optional(
    Type.Array(
      closedObject(
        {
          username: Type.String({
            minLength: 1,
            maxLength: 32,
            description: 'The name, which is the security name too.',
          }),
          auth_protocol: Type.Optional(
            Type.String({
              examples: ['MD5', 'SHA', 'SHA-224', 'SHA-256', 'SHA-384', 'SHA-512'],
              description: 'MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512; none when absent.',
            }),
          ),
          auth_passphrase: Type.Optional(
            Type.String({ minLength: 8, description: 'The passphrase for `auth_protocol`.' }),
          ),
          priv_protocol: Type.Optional(
            Type.String({
              examples: ['DES', 'AES', 'AES-256', 'AES-256-Reeder'],
              description:
                'DES or AES (128 bits), or AES-256 (after Blumenthal) or AES-256-Reeder for clients that have them; none when absent.',
            }),
          ),
          priv_passphrase: Type.Optional(
            Type.String({
              minLength: 8,
              description: 'The passphrase for `priv_protocol`; the one of `auth_protocol` when absent.',
            }),
          ),
        },
        { description: 'A user of the user-based security model.' },
      ),
      {
        description:
          'The users of v3. Without any, every user name passes, without authentication and privacy.',
      },
    ),
  ),
  system: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether the agent has the system group (sysDescr to sysServices, sysORTable) where no mock has the OID.',
    }),
  ),
  mibs: Type.Optional(
    Type.Array(Type.String({ minLength: 1, format: 'path', description: 'A file, or a folder of them.' }), {
      maxItems: 1_000,
      description:
        'MIB modules whose names mocks may use for OIDs. SNMPv2-MIB, IF-MIB, IP-MIB, TCP-MIB, UDP-MIB and HOST-RESOURCES-MIB are known without a file.',
      examples: [['mibs']],
    }),
  ),
  engine_id: Type.Optional(
    Type.String({
      description: 'The snmpEngineID as 5 to 32 hexadecimal octets; 0x8000b983046261636b6c6f74 when absent.',
    }),
  ),
});

/** A mock's own fields. */
export const MockSchema = closedObject({
  oid: Type.String({
    minLength: 1,
    description:
      'The OID of the instance: numbers such as 1.3.6.1.2.1.1.1.0, where a leading dot may be there, or a name of a MIB module with numbers behind it, such as IF-MIB::ifDescr.1 or sysDescr.0.',
  }),
  type: Type.Optional(TypeNameSchema),
  value: Type.Optional(ValueSchema),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  error_status: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 1, maximum: 18 })], {
      description: 'The error status of the response, by name or number; genErr when absent.',
    }),
  ),
  wrong_credentials: Type.Optional(
    Type.Boolean({
      description:
        'Whether credentials count as wrong while the fault is in effect: v1 and v2c are not answered, signed messages of v3 with the report usmStatsWrongDigests. They are not in the journal.',
    }),
  ),
  drop: Type.Optional(
    Type.Boolean({ description: 'Answer nothing, so that the client runs into its time-out.' }),
  ),
  message: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'A text for people. SNMP has no error texts, so it is the value of the first binding of the response; the journal ' +
        'shows it too.',
    }),
  ),
});

/** A trap as it is configured. */
export const TrapSchema = closedObject({
  target: Type.String({
    minLength: 1,
    description: 'The address to which it is sent, as `host:port`; an IPv6 address stands in brackets.',
  }),
  version: Type.Optional(
    Type.Union(
      (['1', 'v1', '2c', 'v2c', '3', 'v3'] as const).map((version) => Type.Literal(version)),
      { default: '2c', description: 'The version of SNMP.' },
    ),
  ),
  community: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The community of v1 and v2c; that of the configuration when absent.',
    }),
  ),
  oid: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'What snmpTrapOID says; may be left out where `generic`, or `enterprise` and `specific`, make it (RFC 3584).',
    }),
  ),
  bindings: Type.Optional(
    Type.Array(
      closedObject(
        {
          oid: Type.String({ minLength: 1, description: 'The OID in numbers.' }),
          type: Type.Optional(TypeNameSchema),
          value: Type.Optional(ValueSchema),
        },
        { description: 'An OID with its value.' },
      ),
      {
        maxItems: 1_000,
        description: 'The variable bindings of the notification, after sysUpTime and snmpTrapOID.',
      },
    ),
  ),
  username: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The user of v3, one of `v3_users`; the first of them when absent.',
    }),
  ),
  inform: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Send an InformRequest, which the target acknowledges; v2c and v3.',
    }),
  ),
  enterprise: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The enterprise of v1; v2c and v3 carry it as snmpTrapEnterprise.',
    }),
  ),
  generic: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 6, description: 'generic-trap of v1; 6 is enterpriseSpecific.' }),
  ),
  specific: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'specific-trap of v1.' }),
  ),
});
