import type { Json } from '@backlot/core';
import { expectedMessageSchemaOf } from '@backlot/core/plugin';
import type { Subject } from './stage.js';

/** What says which messages the mock of that name is for: the half of it that a fault and an expectation may have. */
export function matchOf({ protocol, probe }: Subject, name: 'simple' | 'other'): Json | undefined {
  if (protocol.mocks.matching === undefined) return name === 'simple' ? probe.logged : undefined;
  return cutTo(expectedMessageSchemaOf(protocol), probe.mocks[name]) as Json;
}

/** What a schema that is closed has a place for. */
function cutTo(schema: unknown, value: unknown): unknown {
  const { properties, items } = (schema ?? {}) as { properties?: Json; items?: unknown };
  if (Array.isArray(value)) return value.map((one) => cutTo(items, one));
  if (properties === undefined || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, one]) => [name, cutTo(properties[name], one)]),
  );
}
