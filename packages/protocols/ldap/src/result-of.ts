import { DirectoryError } from './data/directory-error.js';
import { DnError } from './data/dn.js';
import { RESULT } from './result-codes.js';
import type { Result } from './wire/encode.js';
import { ProtocolError } from './wire/protocol-error.js';

/** The result that tells a client what it did wrong; `undefined` for what is no mistake of a client. */
export function resultOf(error: unknown): Result | undefined {
  if (error instanceof DirectoryError) return error.result;
  if (error instanceof DnError) return { code: RESULT.invalidDnSyntax, message: error.message };
  if (error instanceof ProtocolError) return { code: RESULT.protocolError, message: error.message };
  return undefined;
}

/** Does what a client asked for: its result, and a value where there is one. What is no mistake of the client is thrown. */
export function attempt<T>(run: () => T): { readonly result: Result; readonly value?: T } {
  try {
    return { value: run(), result: { code: RESULT.success } };
  } catch (error) {
    const result = resultOf(error);
    if (result === undefined) throw error;
    return { result };
  }
}
