import type { ContractViolation } from '@backlot/core/plugin';

/** Headers by their names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** A request that is held to a document. */
export interface ApiRequest {
  readonly method: string;
  /** The path as it came, without the query. */
  readonly path: string;
  /** What stands behind `?`; empty for none. */
  readonly query: string;
  readonly headers: Headers;
  readonly body?: Uint8Array | undefined;
}

/** An answer that is held to a document. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: string | Uint8Array | undefined;
}

/** What is wrong with a request. */
export interface RequestFindings {
  /** The operation that it is one of; absent where the document has none. */
  readonly operation?: string;
  readonly violations: readonly ContractViolation[];
  /** Whether the body is too long to be held to its schema. */
  readonly isUnchecked?: boolean;
  /** The status by which a server refuses it. */
  readonly status: 404 | 405 | 415 | 400 | 422;
  /** With 405: the methods that the path has. */
  readonly allowed?: readonly string[];
}

/** What is wrong with an answer. */
export interface AnswerFindings {
  /** Which of the answers of the operation it is, as the document writes the status; absent where it is none of them. */
  readonly answer?: string;
  readonly violations: readonly ContractViolation[];
  /** Whether the body is too long to be held to its schema. */
  readonly isUnchecked?: boolean;
}

/** An answer that was made of a document. */
export interface MadeAnswer {
  readonly status: number;
  /** Names as they are written, with their values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** The longest text that a violation shows. */
const LONGEST = 200;

/** What a log entry shows of a value. */
export function shownValue(value: unknown): { readonly value?: string | number | boolean | null } {
  if (typeof value === 'string') return { value: value.slice(0, LONGEST) };
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? { value } : {};
}
