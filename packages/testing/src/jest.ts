import type {} from 'expect';
import type { BacklotMatchers } from './matcher-types.js';

export { matchers } from './matchers.js';

// The types of `@jest/globals`. The type parameters must be as they are declared there, and an interface is what merges.
declare module 'expect' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface Matchers<R extends void | Promise<void>, T = unknown> extends BacklotMatchers<R, T> {}
}

// The global `expect` of `@types/jest`.
declare global {
  // oxlint-disable-next-line typescript/no-namespace
  namespace jest {
    // oxlint-disable-next-line typescript/no-empty-object-type
    interface Matchers<R, T = {}> extends BacklotMatchers<R, T> {}
  }
}
