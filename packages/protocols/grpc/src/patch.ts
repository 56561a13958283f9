import type { GrpcMock } from './schemas.js';

/** Applies PATCH: the fields it names take the place of those of the mock; `null` takes them away. */
export function applyPatch(mock: GrpcMock, patch: Readonly<Record<string, unknown>>): unknown {
  const names = ['response', 'error', 'delay'].filter((name) => Object.hasOwn(patch, name));
  const kept = Object.entries(mock).filter(([name]) => !names.includes(name));
  const given = names.map((name) => [name, patch[name]] as const).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...given]);
}
