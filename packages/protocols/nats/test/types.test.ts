import { expect, it } from '@jest/globals';
import type { SameTypes } from '@backlot/core/plugin';
import { nats } from '../src/index.js';
import { nats as declared } from '../src/plugin.js';

/** Does not compile when the generated types are not those of the schemas. */
const same: SameTypes<typeof nats, typeof declared> = true;

it('has the types that its schemas say', () => {
  expect({ same, protocol: nats }).toEqual({ same: true, protocol: declared });
});
