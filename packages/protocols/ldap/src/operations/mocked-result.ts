import type { MatchOf } from '@backlot/core/plugin';
import { RESULT } from '../result-codes.js';
import type { LdapShape } from '../shape.js';
import type { Result } from '../wire/encode.js';

/** How a mock ends an operation. */
export function mockedResult(match: MatchOf<LdapShape>): Result {
  const { resultCode, matchedDn, message, referral } = match.mock.compiled;
  const more = {
    ...(matchedDn !== undefined && { matchedDn: match.render(matchedDn) }),
    ...(message !== undefined && { message: match.render(message) }),
  };
  if (referral.length === 0) return { code: resultCode, ...more };
  return { code: RESULT.referral, ...more, referral: referral.map((each) => match.render(each)) };
}

/** How several mocks end an operation that is no search: as the first of them that lets it fail, or the first. */
export function mockedResultOf(matches: readonly MatchOf<LdapShape>[]): Result {
  const results = matches.map(mockedResult);
  const failed = results.find(({ code }) => !FINE.has(code));
  return failed ?? results[0] ?? { code: RESULT.success };
}

const FINE: ReadonlySet<number> = new Set([RESULT.success, RESULT.compareTrue]);

/** The answer in a replay to what was not recorded. */
export const UNRECORDED: Result = {
  code: RESULT.unwillingToPerform,
  message: 'nothing was recorded for this request',
};
