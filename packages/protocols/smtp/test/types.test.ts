import { expect, it } from '@jest/globals';
import type { SameTypes } from '@backlot/core/plugin';
import { smtp } from '../src/index.js';
import { smtp as declared } from '../src/plugin.js';

/** Does not compile when the generated types are not those of the schemas. */
const same: SameTypes<typeof smtp, typeof declared> = true;

it('has the types that its schemas say', () => {
  expect({ same, protocol: smtp }).toEqual({ same: true, protocol: declared });
});
