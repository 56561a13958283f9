import { expect, it } from '@jest/globals';
import type { SameTypes } from '@backlot/core/plugin';
import { ftp } from '../src/index.js';
import { ftp as declared } from '../src/plugin.js';

/** Does not compile when the generated types are not those of the schemas. */
const same: SameTypes<typeof ftp, typeof declared> = true;

it('has the types that its schemas say', () => {
  expect({ same, protocol: ftp }).toEqual({ same: true, protocol: declared });
});
