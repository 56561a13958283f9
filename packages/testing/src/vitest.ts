import type {} from 'vitest';
import type { BacklotMatchers } from './matcher-types.js';

export { matchers } from './matchers.js';

declare module 'vitest' {
  // The type parameters must be as vitest declares them, and an interface is what merges with its own.
  // oxlint-disable-next-line typescript/no-explicit-any, typescript/no-empty-object-type
  interface Assertion<T = any> extends BacklotMatchers<void, T> {}
}
