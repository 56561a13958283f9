import { Type } from '../contract/schema.js';

/** The algorithms of signatures (RFC 7518, section 3.1, and RFC 8037). */
export const KEY_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'HS256',
  'HS384',
  'HS512',
] as const;

/** A name of {@link KEY_ALGORITHMS}. */
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

/** A key of the block `keys`. */
export const KeySchema = Type.Object(
  {
    alg: Type.Union(
      KEY_ALGORITHMS.map((name) => Type.Literal(name)),
      { description: 'The algorithm that it signs with.' },
    ),
    kid: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The id of the key in tokens and key sets; its name when absent.',
      }),
    ),
    pem: Type.Optional(
      Type.String({ description: 'The private key as PEM; made from the seed when absent.' }),
    ),
    jwk: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The private or secret key as a JSON Web Key.',
      }),
    ),
    secret: Type.Optional(
      Type.String({ minLength: 1, description: 'HS256, HS384, HS512: the secret as text.' }),
    ),
    file: Type.Optional(
      Type.String({
        minLength: 1,
        format: 'path',
        description: 'A file with the private key as PEM, or as a JSON Web Key.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A key that signs tokens.' },
);

/** The block `keys`: keys by name. */
export const KeysSchema = Type.Record(Type.String({ minLength: 1 }), KeySchema, {
  description: 'Keys that sign and verify tokens, by name.',
});

/** A key as a configuration has it; without `pem`, `jwk`, `secret` and `file` it is made from the seed. */
export interface KeyDefinition {
  /** The algorithm that it signs with. */
  readonly alg: KeyAlgorithm;
  /** The id of the key in tokens and key sets; its name when absent. */
  readonly kid?: string;
  /** The private key as PEM. */
  readonly pem?: string;
  /** The private or secret key as a JSON Web Key. */
  readonly jwk?: Readonly<Record<string, unknown>>;
  /** HS256, HS384, HS512: the secret as text. */
  readonly secret?: string;
  /** A file with the private key as PEM, or as a JSON Web Key. */
  readonly file?: string;
}
