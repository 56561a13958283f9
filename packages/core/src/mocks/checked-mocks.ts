import type { StoredMock } from '../contract/given.js';
import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { Protocol } from '../contract/protocol.js';
import type { ScenarioPatch } from '../contract/scenario.js';
import type { Problem } from '../errors.js';
import type { CoreParts } from './live-mock.js';

/** A mock of a configuration that was found valid, and what it compiled to. */
export interface CheckedMock {
  readonly value: StoredMock;
  readonly compiled: CompiledMock<Message>;
  readonly core: CoreParts;
  /** What it says and hardly means. */
  readonly warnings: readonly Problem[];
  /** Whether another host can take it, with a function of its own where it has one. */
  readonly isPortable: boolean;
  /** Whether it is only known of a message which sequences its templates count on, or how often. */
  readonly hasOpenSequences: boolean;
}

/** What was found when settings were checked, by the very object that was given: whoever changes it makes a new one. */
const checked = new WeakMap<object, { readonly protocol: Protocol; readonly mock: CheckedMock }>();

/** Keeps a valid mock for the host that is made of the same settings. */
export function remember(given: object, protocol: Protocol, mock: CheckedMock): void {
  if (mock.isPortable) checked.set(given, { protocol, mock });
}

/** Takes what was kept of a mock, once. */
export function recall(given: unknown, protocol: Protocol): CheckedMock | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const known = checked.get(given);
  if (known?.protocol !== protocol) return undefined;
  checked.delete(given);
  return known.mock;
}

/** The patches that were found to fit a mock when settings were checked, as texts. */
const fitting = new WeakMap<StoredMock, Set<string>>();

/** Keeps that a patch fits a mock, for the host that is made of the same settings. */
export function rememberFit(mock: StoredMock, patch: ScenarioPatch): void {
  const patches = fitting.get(mock) ?? new Set();
  fitting.set(mock, patches.add(JSON.stringify(patch)));
}

/** Takes what was kept of a patch and a mock, once. */
export function recallFit(mock: StoredMock, patch: ScenarioPatch): boolean {
  return fitting.get(mock)?.delete(JSON.stringify(patch)) === true;
}
