import type { Protocol } from '@backlot/core';

/** A protocol that is there to be used, and the package that it came in. */
export interface Plugin {
  readonly protocol: Protocol;
  /** The name of the package, or the path that was given. */
  readonly package: string;
  /** Whether it came with the app. */
  readonly isBuiltIn: boolean;
}

/**
 * Finds the protocol among what a module exports.
 *
 * @param kind - the kind that is wanted; the first protocol when absent
 */
export function findProtocol(exported: object, kind?: string): Protocol | undefined {
  return Object.values(exported).find(
    (value): value is Protocol => isProtocol(value) && (kind === undefined || value.kind === kind),
  );
}

function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, meta, mocks, create } = value as Record<string, unknown>;
  return (
    typeof kind === 'string' &&
    typeof meta === 'object' &&
    typeof mocks === 'object' &&
    typeof create === 'function'
  );
}
