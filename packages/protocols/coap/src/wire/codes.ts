import { invalid } from '@backlot/core/plugin';

/** Response codes that the server itself gives (RFC 7252 section 12.1.2, RFC 7959 section 2.9). */
export const CODE = {
  EMPTY: 0,
  CREATED: codeOf(2, 1),
  DELETED: codeOf(2, 2),
  CHANGED: codeOf(2, 4),
  CONTENT: codeOf(2, 5),
  CONTINUE: codeOf(2, 31),
  BAD_REQUEST: codeOf(4, 0),
  BAD_OPTION: codeOf(4, 2),
  NOT_FOUND: codeOf(4, 4),
  METHOD_NOT_ALLOWED: codeOf(4, 5),
  NOT_ACCEPTABLE: codeOf(4, 6),
  REQUEST_ENTITY_INCOMPLETE: codeOf(4, 8),
  REQUEST_ENTITY_TOO_LARGE: codeOf(4, 13),
  INTERNAL_SERVER_ERROR: codeOf(5, 0),
  PROXYING_NOT_SUPPORTED: codeOf(5, 5),
} as const;

/** The methods by their code, from 0.01 (RFC 7252 section 12.1.1, RFC 8132). */
export const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'FETCH', 'PATCH', 'iPATCH'];

const BY_UPPER_CASE: ReadonlyMap<string, string> = new Map(
  METHODS.map((method) => [method.toUpperCase(), method]),
);

/** Class and detail as the octet that carries them. */
function codeOf(group: number, detail: number): number {
  return (group << 5) | detail;
}

/** The class of a code: 0 are requests, 2, 4 and 5 responses. */
export function classOf(code: number): number {
  return code >> 5;
}

/** The code as people write it: `2.05`. */
export function formatCode(code: number): string {
  const detail = code & 0x1f;
  return `${code >> 5}.${detail < 10 ? '0' : ''}${detail}`;
}

/** The method of a request code, `undefined` when there is none of that code. */
export function methodOf(code: number): string | undefined {
  return METHODS[code - 1];
}

/** The method of that name in any case, as the RFC writes it. */
export function findMethod(name: string): string | undefined {
  return BY_UPPER_CASE.get(name.toUpperCase());
}

/**
 * Reads a response code, `2.05` as a text or as the number that YAML makes of it (`4.1` is then 4.10).
 *
 * @throws BacklotError `invalid` for what is no response code (RFC 7252 section 12.1: 2.00 to 5.31)
 */
export function parseResponseCode(source: string | number): number {
  const text = typeof source === 'number' ? source.toFixed(2) : source;
  const parts = /^([2-5])\.(\d\d)$/.exec(text);
  const detail = Number(parts?.[2]);
  if (parts === null || detail > 31 || (typeof source === 'number' && Number(text) !== source)) {
    throw invalid(
      `${JSON.stringify(source)} is not a response code; give class and detail, 2.00 to 5.31 with a detail up to 31, such as 2.05 or 4.04`,
    );
  }
  return codeOf(Number(parts[1]), detail);
}
