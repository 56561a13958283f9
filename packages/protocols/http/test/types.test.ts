import { expect, it } from '@jest/globals';
import type { SameTypes } from '@backlot/core/plugin';
import { http } from '../src/index.js';
import { http as declared } from '../src/plugin.js';

/** Does not compile when the generated types are not those of the schemas. */
const same: SameTypes<typeof http, typeof declared> = true;

it('has the types that its schemas say', () => {
  expect({ same, protocol: http }).toEqual({ same: true, protocol: declared });
});
