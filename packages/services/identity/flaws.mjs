/**
 * What scenarios make wrong, by the name that the functions of their mocks have: `seconds` that the clock of the provider is
 * ahead, whether tokens have `expired` already, an `issuer` and an `audience` in place of the right ones, `nextKey` to
 * sign with the next key, and which keys the `keySet` has.
 */
export const FLAWS = {
  Expired: { expired: true },
  Ahead: { seconds: 600 },
  ForOthers: { audience: 'somebody-else' },
  OfOthers: { issuer: 'https://somebody-else.example' },
  NextKey: { nextKey: true },
};
