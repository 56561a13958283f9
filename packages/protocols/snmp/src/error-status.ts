const NAMES = [
  'noError',
  'tooBig',
  'noSuchName',
  'badValue',
  'readOnly',
  'genErr',
  'noAccess',
  'wrongType',
  'wrongLength',
  'wrongEncoding',
  'wrongValue',
  'noCreation',
  'inconsistentValue',
  'resourceUnavailable',
  'commitFailed',
  'undoFailed',
  'authorizationError',
  'notWritable',
  'inconsistentName',
] as const;

/** Error statuses by name (RFC 3416 section 3). */
export const ERROR = {
  noError: 0,
  tooBig: 1,
  noSuchName: 2,
  genErr: 5,
  wrongType: 7,
  authorizationError: 16,
  notWritable: 17,
} as const;

/** What SNMPv1 says in place of the statuses that came later (RFC 3584 section 4.4). */
const IN_VERSION_1: Readonly<Record<number, number>> = {
  6: 2,
  7: 3,
  8: 3,
  9: 3,
  10: 3,
  11: 2,
  12: 3,
  13: 5,
  14: 5,
  15: 5,
  16: 2,
  17: 2,
  18: 2,
};

/**
 * The number of an error status given by name, in any case, or by number.
 *
 * @throws Error when it is none
 */
export function parseErrorStatus(given: string | number): number {
  const number =
    typeof given === 'number' || /^\d+$/.test(given)
      ? Number(given)
      : NAMES.findIndex((name) => name.toLowerCase() === given.toLowerCase());
  if (number > 0 && number < NAMES.length) return number;
  throw new Error(`must be 1 to 18 or one of ${NAMES.slice(1).join(', ')}, got ${JSON.stringify(given)}`);
}

/** The name of an error status. */
export function nameOfStatus(status: number): string {
  return NAMES[status] ?? String(status);
}

/** The status as SNMPv1 has it. */
export function inVersion1(status: number): number {
  return IN_VERSION_1[status] ?? status;
}
