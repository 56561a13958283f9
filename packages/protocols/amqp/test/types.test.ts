import { expect, it } from '@jest/globals';
import type { SameTypes } from '@backlot/core/plugin';
import { amqp } from '../src/index.js';
import { amqp as declared } from '../src/plugin.js';

/** Does not compile when the generated types are not those of the schemas. */
const same: SameTypes<typeof amqp, typeof declared> = true;

it('has the types that its schemas say', () => {
  expect({ same, protocol: amqp }).toEqual({ same: true, protocol: declared });
});
