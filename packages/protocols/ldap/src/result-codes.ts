import { invalid } from '@backlot/core/plugin';
import { RESULT_CODES } from './wire/library.js';

/** Result codes that we answer by ourselves (RFC 4511, appendix A). */
export const RESULT = {
  success: 0,
  operationsError: 1,
  protocolError: 2,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  compareFalse: 5,
  compareTrue: 6,
  authMethodNotSupported: 7,
  strongerAuthRequired: 8,
  referral: 10,
  adminLimitExceeded: 11,
  unavailableCriticalExtension: 12,
  saslBindInProgress: 14,
  noSuchAttribute: 16,
  undefinedAttributeType: 17,
  attributeOrValueExists: 20,
  invalidAttributeSyntax: 21,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  invalidCredentials: 49,
  unwillingToPerform: 53,
  namingViolation: 64,
  notAllowedOnNonLeaf: 66,
  notAllowedOnRdn: 67,
  entryAlreadyExists: 68,
  affectsMultipleDsas: 71,
  unavailable: 52,
  other: 80,
} as const;

const BY_NAME = new Map(Object.entries(RESULT_CODES).map(([name, code]) => [fold(name), code]));

function fold(name: string): string {
  return name
    .replace(/^ldap_/i, '')
    .replaceAll('_', '')
    .toLowerCase();
}

/**
 * The number of a result code that was given as a number or by its name, such as `noSuchObject`, `NO_SUCH_OBJECT` or `32`.
 *
 * @throws BacklotError `invalid`
 */
export function parseResultCode(given: string | number): number {
  const code =
    typeof given === 'number' ? given : /^\d{1,4}$/.test(given) ? Number(given) : BY_NAME.get(fold(given));
  if (code === undefined) {
    throw invalid(
      `"${given}" is no result code; use a number, or a name such as noSuchObject or invalidCredentials`,
    );
  }
  if (code === RESULT.referral) {
    throw invalid(
      '10 (referral) needs addresses of other servers: give a mock `referral`, or have an entry of the class referral',
    );
  }
  return code;
}
