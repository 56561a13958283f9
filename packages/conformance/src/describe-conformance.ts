import { describe, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import { conformanceGroups } from './conformance-groups.js';
import type { Probe } from './probe.js';

/**
 * Milliseconds that one case may take. A step that hangs fails sooner, by its own limit; this one is for what the suite
 * does not wait for step by step, and is long enough for a busy machine.
 */
const CASE_TIMEOUT = 300_000;

/** Runs the suite in jest: a protocol's `test/conformance.test.ts` holds this call and its probe. */
export function describeConformance(protocol: Protocol, probe: Probe): void {
  describe(`${protocol.kind} conforms:`, () => {
    for (const group of conformanceGroups(protocol, probe)) {
      describe(group.name, () => {
        for (const each of group.cases) it(each.name, () => each.run(), CASE_TIMEOUT);
      });
    }
  });
}
