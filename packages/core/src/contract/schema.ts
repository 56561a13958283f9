import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import type { MockFields, SettingsFields, StartTlsFields } from './fields.generated.js';

export { Type };
export type { Static, TObject, TSchema };

/**
 * The TypeScript type of a schema's values. Reads the schema's `static` member, because TypeBox's own `Static`
 * inside the conditional types of {@link Context} exceeds the compiler's depth on large schemas.
 */
export type ValueOf<S extends TSchema> = S['static'];

/** One state condition: the key must have the value, or must not have it. A missing key reads as `""`. */
export const StateConditionSchema = Type.Object(
  {
    key: Type.String({ minLength: 1, description: 'The state key.' }),
    value: Type.Optional(Type.String({ description: 'Holds while the key has this value.' })),
    not: Type.Optional(Type.String({ description: 'Holds while the key has any other value.' })),
  },
  { additionalProperties: false },
);

/** The fields that core adds to every mock of every kind. */
export const CORE_MOCK_FIELDS = {
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Unique within the kind; made up when absent.',
    }),
  ),
  priority: Type.Optional(
    Type.Integer({
      default: 0,
      description:
        'Mocks with a higher priority are asked first, those with the same in the order of creation.',
    }),
  ),
  state: Type.Optional(
    Type.Union([StateConditionSchema, Type.Array(StateConditionSchema)], {
      description: 'Matches only while the condition holds; of a list, all must hold.',
    }),
  ),
  set_state: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
      description:
        'Keys to set when the mock matches; keys and values are templates, `null` deletes the key.',
    }),
  ),
  delay: Type.Optional(
    Type.String({ description: 'How long the answer waits, such as `250ms` or `1m30s`.' }),
  ),
  times: Type.Optional(
    Type.Integer({ minimum: 1, description: 'After this many matches the mock is as if absent.' }),
  ),
  expires: Type.Optional(
    Type.String({
      description:
        'A duration such as `1h`; the mock is as if absent when it has passed since the mock was created or replaced.',
    }),
  ),
};

/** The fields that core adds to every mock, as they are stored. */
export interface CoreMock extends MockFields {
  readonly id: string;
}

/**
 * The fields that say when and how often a fault fires; those of the fault of a kind and of the fault of one mock are
 * the same.
 */
export const FAULT_TIMING_FIELDS = {
  delay: Type.Optional(
    Type.String({
      description: 'A delay added to every message that the fault covers, whether the error fires or not.',
    }),
  ),
  delay_range: Type.Optional(
    Type.Object(
      {
        min: Type.String({ description: 'The shortest delay.' }),
        max: Type.String({ description: 'The longest delay.' }),
      },
      {
        additionalProperties: false,
        description: 'A delay that is rolled for each message, in place of `delay`; give one of the two.',
      },
    ),
  ),
  error_rate: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'How often the error fires: 0 is never, 1 always.',
    }),
  ),
};

/** The fields that core adds to the fault of every kind. */
export const CORE_FAULT_FIELDS = {
  ...FAULT_TIMING_FIELDS,
  enabled: Type.Optional(
    Type.Boolean({ description: 'Accepted, because client drivers send it, and ignored.' }),
  ),
};

/** The further fault field of kinds whose transport is a stream. */
export const STREAM_FAULT_FIELDS = {
  phase: Type.Optional(
    Type.Union([Type.Literal('message'), Type.Literal('connect')], {
      default: 'message',
      description: '`connect`: the fault delays and resets new connections, and leaves messages alone.',
    }),
  ),
};

/** The configuration fields that core adds to every kind. */
export const CORE_CONFIG_FIELDS = {
  enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether the kind is started.' })),
  host: Type.Optional(
    Type.String({ minLength: 1, description: 'The address to listen on; `localhost` is 127.0.0.1 and ::1.' }),
  ),
  port: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 65535, description: 'The port to listen on; 0 takes a free one.' }),
  ),
};

const TLS_FIELDS = {
  enabled: Type.Optional(Type.Boolean({ description: 'Whether TLS is used; true when absent.' })),
  cert_file: Type.Optional(
    Type.String({ format: 'path', description: 'PEM file of the certificate chain.' }),
  ),
  key_file: Type.Optional(Type.String({ format: 'path', description: 'PEM file of the private key.' })),
  self_signed: Type.Optional(
    Type.Boolean({
      description: 'Whether the self-signed certificate of this process is used; true when no file is named.',
    }),
  ),
};
const TLS_OPTIONS = { additionalProperties: false, description: 'TLS for this listener.' };

/** The TLS settings of a listener whose connections are encrypted from the first byte. */
export const TlsSchema = Type.Object(TLS_FIELDS, TLS_OPTIONS);

/** The TLS settings of a listener whose protocol can also upgrade a connection to TLS. */
export const StartTlsSchema = Type.Object(
  {
    ...TLS_FIELDS,
    mode: Type.Optional(
      Type.Union([Type.Literal('implicit'), Type.Literal('starttls')], {
        description: 'TLS from the first byte, or upgraded when the client asks for it.',
      }),
    ),
  },
  TLS_OPTIONS,
);

/** The TLS settings of a listener, see {@link TlsSchema} and {@link StartTlsSchema}. */
export type TlsSettings = StartTlsFields;

/** What core adds to the configuration of every kind, with defaults filled in. */
export interface CoreConfig extends Required<SettingsFields> {
  /**
   * Whether a file, a flag or an embedder chose the port. A chosen port that is in use is an error; another one is
   * replaced by a free port.
   */
  readonly portIsChosen: boolean;
  /** TLS of the listener; only for kinds whose `meta.tls` allows it. */
  readonly tls?: TlsSettings;
}
