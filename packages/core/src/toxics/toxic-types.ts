import { Type, type TInteger, type TNumber, type TObject, type TOptional } from '@sinclair/typebox';

/** What a kind's clients do: connect, send datagrams, or both. */
export type Transport = 'stream' | 'datagram' | 'both';

/** A type of toxic: what it acts on, and its attributes. */
export interface ToxicType {
  /** Acts on connections. */
  readonly onStreams: boolean;
  /** Acts on datagrams. */
  readonly onDatagrams: boolean;
  /** What it does, in one sentence. */
  readonly summary: string;
  readonly attributes: TObject;
}

const MAX_MS = 2 ** 31 - 1;
const MAX_BYTES = 2 ** 40;

type Attribute = TInteger | TNumber | TOptional<TInteger> | TOptional<TNumber>;

const count = (
  description: string,
  more: { minimum?: number; maximum?: number; default?: number } = {},
): Attribute => {
  const schema = Type.Integer({ minimum: 0, maximum: MAX_BYTES, ...more, description });
  return more.default === undefined ? schema : Type.Optional(schema);
};
const milliseconds = (description: string, byDefault = 0): Attribute =>
  count(description, { maximum: MAX_MS, default: byDefault });

const attributes = (fields: Partial<Record<ToxicAttribute, Attribute>>): TObject =>
  Type.Object(fields, { additionalProperties: false });

const stream = { onStreams: true, onDatagrams: false } as const;
const datagram = { onStreams: false, onDatagrams: true } as const;
const both = { onStreams: true, onDatagrams: true } as const;

const ALTERED = count('How many bytes of each chunk or datagram are altered.', { minimum: 1, default: 1 });

const TYPES = {
  latency: {
    ...stream,
    summary: 'Delays all data.',
    attributes: attributes({
      latency: milliseconds('Milliseconds of delay.'),
      jitter: milliseconds('Milliseconds by which the delay varies, up and down.'),
    }),
  },
  bandwidth: {
    ...stream,
    summary: 'Limits how much passes in a second.',
    attributes: attributes({
      rate: count('Kilobytes a second, of 1000 bytes; 0 is no limit.', { default: 0 }),
    }),
  },
  slow_close: {
    ...stream,
    summary: 'Delays the end of a side of the connection.',
    attributes: attributes({ delay: milliseconds('Milliseconds of delay.') }),
  },
  timeout: {
    ...stream,
    summary: 'Lets nothing through, and closes the connection after a time.',
    attributes: attributes({
      timeout: milliseconds('Milliseconds until the connection is closed; with 0 it stays open.'),
    }),
  },
  reset_peer: {
    ...stream,
    summary: 'Resets the connection (TCP RST).',
    attributes: attributes({ timeout: milliseconds('Milliseconds until it is reset.') }),
  },
  slicer: {
    ...stream,
    summary: 'Cuts data into small pieces, with a delay between them.',
    attributes: attributes({
      average_size: count('The average size of a piece in bytes.', { minimum: 1 }),
      size_variation: count('By how many bytes a piece may be smaller or larger.', { default: 0 }),
      delay: count('Microseconds between pieces.', { maximum: MAX_MS, default: 0 }),
    }),
  },
  limit_data: {
    ...stream,
    summary: 'Closes the connection when so much has passed.',
    attributes: attributes({ bytes: count('How many bytes pass.', { default: 0 }) }),
  },
  down: {
    ...both,
    summary: 'Closes open connections, and resets new ones; loses all datagrams.',
    attributes: attributes({}),
  },
  corrupt: {
    ...both,
    summary: 'Alters bytes of what passes.',
    attributes: attributes({
      bytes: ALTERED,
      chance: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          default: 1,
          description: 'How likely a chunk of a connection, or a datagram, is altered.',
        }),
      ),
    }),
  },
  loss: { ...datagram, summary: 'Loses datagrams.', attributes: attributes({}) },
  duplicate: {
    ...datagram,
    summary: 'Sends datagrams more than once.',
    attributes: attributes({
      copies: count('How many further copies there are.', { minimum: 1, maximum: 100, default: 1 }),
    }),
  },
  reorder: {
    ...datagram,
    summary: 'Holds datagrams back until later ones have passed.',
    attributes: attributes({
      gap: count('How many later datagrams pass first.', { minimum: 1, maximum: 1000, default: 1 }),
      timeout: milliseconds('Milliseconds after which it goes in any case.', 1000),
    }),
  },
  late: {
    ...datagram,
    summary: 'Delays datagrams, each by itself.',
    attributes: attributes({
      latency: milliseconds('Milliseconds of delay.'),
      jitter: milliseconds('Milliseconds by which the delay varies, up and down.'),
    }),
  },
  truncate: {
    ...datagram,
    summary: 'Cuts datagrams off.',
    attributes: attributes({ bytes: count('How many bytes are left.') }),
  },
} satisfies Record<string, ToxicType>;

/** The name of a type of toxic. */
export type ToxicTypeName = keyof typeof TYPES;

/** The name of an attribute of some type. */
export type ToxicAttribute =
  | 'latency'
  | 'jitter'
  | 'rate'
  | 'delay'
  | 'timeout'
  | 'average_size'
  | 'size_variation'
  | 'bytes'
  | 'chance'
  | 'copies'
  | 'gap';

/**
 * The types of toxics by name. Those of connections, except `down` and `corrupt`, and their attributes with their units are
 * Toxiproxy's.
 */
export const TOXIC_TYPES: Readonly<Record<string, ToxicType>> = Object.freeze(TYPES);

/** The names of the types that a kind of a transport has. */
export function toxicTypesOf(transport: Transport): readonly string[] {
  return Object.entries(TOXIC_TYPES)
    .filter(
      ([, type]) =>
        (type.onStreams && transport !== 'datagram') || (type.onDatagrams && transport !== 'stream'),
    )
    .map(([name]) => name);
}
