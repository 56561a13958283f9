import type { Protocol } from '@backlot/core';

/** A protocol that is there to be used, and the package that it came in. */
export interface Plugin {
  readonly protocol: Protocol;
  /** The name of the package, or the path that was given. */
  readonly package: string;
  /** Whether it came with the app. */
  readonly isBuiltIn: boolean;
}

/** Something of a module that claims to be a protocol; whether it is one must be checked. */
export interface Claim {
  readonly kind: string;
}

/** What a module exports that claims to be a protocol, each once. */
export function findProtocols(exported: object): readonly Claim[] {
  return [...new Set(Object.values(exported))].filter(isClaim);
}

function isClaim(value: unknown): value is Claim {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, mocks, create } = value as Record<string, unknown>;
  return typeof kind === 'string' && (typeof mocks === 'object' || typeof create === 'function');
}
