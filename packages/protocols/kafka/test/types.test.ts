import { expect, it } from '@jest/globals';
import type { SameTypes } from '@backlot/core/plugin';
import { kafka } from '../src/index.js';
import { kafka as declared } from '../src/plugin.js';

/** Does not compile when the generated types are not those of the schemas. */
const same: SameTypes<typeof kafka, typeof declared> = true;

it('has the types that its schemas say', () => {
  expect({ same, protocol: kafka }).toEqual({ same: true, protocol: declared });
});
