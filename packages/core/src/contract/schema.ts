import {
  Type,
  type Static,
  type TObject,
  type TOptional,
  type TSchema,
  type TString,
} from '@sinclair/typebox';
import { delayField } from '../time/delay-schema.js';
import { ToxicSchema } from '../toxics/toxic-schema.js';
import { OnceSchema, OperationSchema } from './data-schemas.js';
import type { MockFields, SettingsFields, StartTlsFields } from './fields.generated.js';
import type { FunctionName } from './respond.js';
import { UpstreamSchema } from './upstream.js';

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
    value: Type.Optional(Type.String({ description: 'The condition holds while the key has this value.' })),
    not: Type.Optional(
      Type.String({ description: 'The condition holds while the key does not have this value.' }),
    ),
  },
  { additionalProperties: false },
);

/** A function that makes the answer, as a configuration names it and as a stored mock shows it. */
export const RespondSchema = Type.Object(
  {
    module: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A file with code, relative to the folder of the configuration, such as `./handlers.js`.',
      }),
    ),
    export: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'default',
        description: 'The name under which the module exports it.',
      }),
    ),
    function: Type.Optional(
      Type.String({
        description: 'The name of a function that a program has given. It is only shown: it cannot be set.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'A function that makes the answer, by module and export. Only a configuration names one; the management API cannot.',
  },
);

/** The fields that core adds to every mock of every kind. */
export const CORE_MOCK_FIELDS = {
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The id of the mock, unique within its kind; when absent, one is generated.',
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
  emit: Type.Optional(
    Type.Array(
      Type.Object(
        {
          to: Type.String({
            minLength: 1,
            description:
              'The streams: the kind and the id of their mock, such as `http/pods-watch`, or of one stream; a template.',
          }),
          data: Type.Unknown({
            description:
              'What is pushed, as `POST /api/streams/push` takes it for that kind; its texts are templates, and one that is a single tag keeps the type of what it inserts.',
          }),
          delay: Type.Optional(
            Type.String({ description: 'How long after the match it is pushed, such as `250ms`.' }),
          ),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: 100,
        description: 'Pushes into open streams, of any kind, when the mock matches and no fault fires.',
      },
    ),
  ),
  collection: Type.Optional(
    Type.Union([OperationSchema, Type.Array(OperationSchema, { minItems: 1, maxItems: 16 })], {
      description:
        'What the mock does with the rows of collections when it matches; without a row to do it with, it does not match. Of a list, all is done, in order, or nothing.',
    }),
  ),
  once: Type.Optional(
    Type.Object(OnceSchema.properties, {
      additionalProperties: false,
      description: 'Gives the first answer again to messages with the same key.',
    }),
  ),
  delay: Type.Optional(
    delayField('How long the answer waits: a duration such as `250ms` or `1m30s`, or how it is rolled.'),
  ),
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many times the mock matches; after that it is as if it were not there.',
    }),
  ),
  expires: Type.Optional(
    Type.String({
      description:
        'How long the mock matches after it was created or replaced, a duration such as `1h`; after that it is as if it were not there.',
    }),
  ),
  scope: Type.Optional(
    Type.Literal('replica', {
      description:
        'Says that what the mock counts and keeps is that of each replica alone. Without it a cluster counts its matches, and makes what they change, on all replicas together, and refuses what it cannot; a single server does the same with or without it.',
    }),
  ),
};

/** The fields that core adds to every mock, as they are stored. */
export interface CoreMock extends MockFields {
  readonly id: string;
  /** What stands for the function that makes the answer. */
  readonly respond?: FunctionName;
}

/**
 * The fields that say when and how often a fault fires; those of the fault of a kind and of the fault of one mock are
 * the same.
 */
export const FAULT_TIMING_FIELDS = {
  delay: Type.Optional(
    delayField(
      'A delay added to every message that the fault covers, whether the error fires or not: a duration, or how it is rolled.',
    ),
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

/** What the counts of a fault can be. */
const MAX_COUNT = 2 ** 31 - 1;

/** The fields that core adds to the fault of every kind. */
export const CORE_FAULT_FIELDS = {
  ...FAULT_TIMING_FIELDS,
  match: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Which messages the fault is for: the fields by which a mock of the kind says that.',
      },
    ),
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_COUNT,
      description: 'How many of the messages that it is for pass before the fault begins.',
    }),
  ),
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_COUNT,
      description:
        'How many messages the fault hits before it is over: those for which the error fires or, where none does, those that are delayed.',
    }),
  ),
  expires: Type.Optional(
    Type.String({
      description:
        'How long the fault is in effect after it was set, a duration such as `30s`; then it is cleared. Only for a fault that is set by itself: those of a scenario end with it.',
    }),
  ),
  left: Type.Optional(
    Type.Object(
      {
        expires_ms: Type.Optional(
          Type.Integer({ minimum: 0, description: 'Milliseconds until it is cleared.' }),
        ),
        after: Type.Optional(Type.Integer({ minimum: 0, description: 'How many still pass.' })),
        times: Type.Optional(Type.Integer({ minimum: 0, description: 'How many it will still hit.' })),
      },
      {
        additionalProperties: false,
        description:
          'Answers only, and ignored where a fault is set: what is left of `after`, `times` and `expires`.',
      },
    ),
  ),
  toxics: Type.Optional(
    Type.Array(ToxicSchema, {
      maxItems: 100,
      description:
        'Toxics that act while the fault is in effect, on connections or datagrams; they have no `ttl`. No message is affected by them alone.',
    }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Accepted, because client drivers send it, and ignored.' }),
  ),
};

/** The further fault field of kinds whose transport is a stream; those without logins have the two first phases. */
export const STREAM_FAULT_FIELDS = {
  phase: Type.Optional(
    Type.Union([Type.Literal('message'), Type.Literal('connect'), Type.Literal('login')], {
      default: 'message',
      description:
        '`connect`: the fault delays and resets new connections, and leaves messages alone. `login`: it delays and refuses logins.',
    }),
  ),
};

/** The further fault field of kinds that may use TLS. */
export const TLS_FAULT_FIELDS = {
  tls: Type.Optional(
    Type.Union([Type.Literal('expired'), Type.Literal('wrong_host')], {
      description:
        'TLS handshakes show a certificate that has expired, or is for another host, while the fault is in effect. No message is affected.',
    }),
  ),
};

/** The same field for kinds whose clients do not log in. */
export const LOGINLESS_FAULT_FIELDS = {
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
  toxics: Type.Optional(
    Type.Array(ToxicSchema, {
      maxItems: 100,
      description:
        'Toxics that act from the start: what is done to the bytes of connections, or to datagrams.',
    }),
  ),
  upstream: Type.Optional(UpstreamSchema),
};

/**
 * The field `share` of the configuration of a kind whose `meta.takes` says what it can take of another kind's listener.
 *
 * @param description - what is taken
 */
export function shareField(description: string): TOptional<TString> {
  return Type.Optional(Type.String({ minLength: 1, description }));
}

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
  client_ca: Type.Optional(
    Type.String({
      format: 'path',
      description:
        'PEM file of the authorities that sign the certificates of clients: a client must show one, and without it the handshake fails.',
    }),
  ),
  fault: Type.Optional(
    Type.Union([Type.Literal('expired'), Type.Literal('wrong_host')], {
      description:
        'What is wrong with the certificate: it has expired, or is for another host. It is made anew, and signed with the one that is used otherwise.',
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
export interface CoreConfig
  extends Required<Omit<SettingsFields, 'upstream'>>, Pick<SettingsFields, 'upstream'> {
  /**
   * Whether a file, a flag or an embedder chose the port. A chosen port that is in use is an error; another one is
   * replaced by a free port.
   */
  readonly portIsChosen: boolean;
  /** TLS of the listener; only for kinds whose `meta.tls` allows it. */
  readonly tls?: TlsSettings;
}
