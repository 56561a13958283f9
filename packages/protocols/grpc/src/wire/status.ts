import { status } from '@grpc/grpc-js';

/** The codes of gRPC by name; `OK` is 0. */
const CODES: ReadonlyMap<string, number> = new Map(
  Object.entries(status).filter((entry): entry is [string, status] => typeof entry[1] === 'number'),
);
const NAMES: ReadonlyMap<number, string> = new Map(Array.from(CODES, ([name, code]) => [code, name]));

/**
 * The number of an error's code, given by name or by number.
 *
 * @throws Error when there is no such code, or it is no error
 */
export function parseCode(code: string | number): number {
  const number = typeof code === 'number' ? code : CODES.get(code);
  if (number === undefined || number === 0 || !NAMES.has(number)) {
    throw new Error(
      `must be an error code of gRPC, a name such as NOT_FOUND or a number from 1 to 16, got ${JSON.stringify(code)}`,
    );
  }
  return number;
}

/** A code as people write it. */
export function nameOfCode(code: number): string {
  return NAMES.get(code) ?? String(code);
}

export { status as Code };
