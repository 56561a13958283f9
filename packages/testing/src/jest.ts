import type {} from 'expect';
import type { LotMatchers } from './matcher-types.js';

export { matchers } from './matchers.js';

declare module 'expect' {
  // Its own declaration has both type parameters, and an interface is what merges with it.
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface Matchers<R extends void | Promise<void>, T = unknown> extends LotMatchers<R, T> {}
}
