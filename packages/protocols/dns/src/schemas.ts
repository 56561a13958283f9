import { closedObject, Type, patternField } from '@backlot/core/plugin';

/** What `protocols.dns` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  unmatched: Type.Optional(
    Type.Union([Type.Literal('nxdomain'), Type.Literal('empty'), Type.Literal('refused')], {
      default: 'nxdomain',
      description: 'The answer for names that no mock knows: NXDOMAIN, NOERROR without records, or REFUSED.',
    }),
  ),
  wildcards: Type.Optional(
    Type.Union([Type.Literal('pattern'), Type.Literal('rfc4592')], {
      default: 'pattern',
      description:
        'What a mock named `*.suffix` answers for: every name below the suffix, as a `pattern` does, or those for which a wildcard record of RFC 4592 would.',
    }),
  ),
  zones: Type.Optional(
    Type.Array(
      closedObject({
        file: Type.String({ minLength: 1, format: 'path', description: 'The zone file.' }),
        origin: Type.Optional(
          Type.String({
            minLength: 1,
            description: 'What relative names stand below until the file has an `$ORIGIN`.',
          }),
        ),
      }),
      {
        maxItems: 1000,
        description: 'Zone files, whose records answer questions that no mock does.',
      },
    ),
  ),
  idle_timeout: Type.Optional(
    Type.String({
      default: '30s',
      description:
        'How long a TCP connection may be without traffic before it is closed, a duration such as `30s`; `0` is for ever.',
    }),
  ),
});

/** A mock's own fields. */
export const MockSchema = closedObject({
  name: patternField(
    'The name asked for, in any case, the last dot optional; `*.suffix` is every name below it; or a pattern.',
  ),
  type: Type.Optional(
    Type.String({
      minLength: 1,
      default: 'A',
      description:
        'The record type: A, AAAA, CNAME, MX, TXT, NS, PTR, SRV, SOA, CAA, NAPTR, HTTPS, SVCB or TYPEnnn; ANY, for a mock ' +
        'without records, is every type (and the default beside `rcode`).',
    }),
  ),
  records: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The records as zone files have them, such as `192.0.2.1` or `10 mail.example.com`; templates.',
    }),
  ),
  ttl: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 31 - 1,
      default: 60,
      description: 'How long clients may keep the records, in seconds.',
    }),
  ),
  rcode: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0, maximum: 15 })], {
      description: 'The response code, such as NXDOMAIN, SERVFAIL or a number up to 15; NOERROR when absent.',
    }),
  ),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  rcode: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0, maximum: 15 })], {
      description: 'The response code of the answer, which has no records.',
    }),
  ),
  ttl: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'The TTL of all records that are answered, in seconds, while the fault is in effect. The answers are those of mocks and zones.',
    }),
  ),
  drop: Type.Optional(
    Type.Boolean({ description: 'Answer nothing, so that the client runs into its time-out.' }),
  ),
});
