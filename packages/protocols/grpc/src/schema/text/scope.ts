import type { Tokens } from './tokens.js';

/** What the parts of a file are read with. */
export interface Scope {
  readonly tokens: Tokens;
  readonly isProto3: boolean;
  /** Counts a definition. @throws ProtoSyntaxError when there are too many */
  readonly count: () => void;
}

/** The number of a field is at most this (protobuf language specification, "Assigning Field Numbers"). */
export const MAX_NUMBER = 2 ** 29 - 1;
