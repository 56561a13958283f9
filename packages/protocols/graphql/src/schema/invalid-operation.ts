import type { GraphQLError } from 'graphql';

/** An operation does not fit the schema. */
export class InvalidOperation extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? 'the operation is not valid');
  }
}
