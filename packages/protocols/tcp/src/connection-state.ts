import { pointTo, type CompileTools, type Template, type ValueOf } from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';

/** What a connection remembers, by name. It is not changed: who changes something has another one. */
export type ConnectionState = Readonly<Record<string, string>>;

/** What is set when a mock has matched; `null` forgets. */
export type StateChanges = readonly (readonly [name: string, value: Template | null])[];

/** How much a connection remembers, in characters of names and values. */
const MAX_CHARACTERS = 65_536;

/** Compiles `set_connection_state`; `undefined` when the mock sets nothing. */
export function compileChanges(
  source: ValueOf<typeof MockSchema>['set_connection_state'],
  tools: CompileTools,
): StateChanges | undefined {
  const changes = Object.entries(source ?? {});
  if (changes.length === 0) return undefined;
  return changes.map(([name, value]) => [
    name,
    value === null ? null : tools.template(value, pointTo('/set_connection_state', name), { target: 'text' }),
  ]);
}

/**
 * What a connection remembers after a match.
 *
 * @throws RangeError when that is too much
 */
export function changeState(
  before: ConnectionState | undefined,
  changes: StateChanges,
  match: { readonly mock: { readonly id: string }; render(template: Template): string },
): ConnectionState {
  const after = new Map(Object.entries(before ?? {}));
  for (const [name, value] of changes) {
    if (value === null) after.delete(name);
    else after.set(name, match.render(value));
  }
  let size = 0;
  for (const [name, value] of after) size += name.length + value.length;
  if (size > MAX_CHARACTERS)
    throw new RangeError(
      `a connection remembers ${MAX_CHARACTERS} characters at most, and mock "${match.mock.id}" makes them ${size}`,
    );
  return stateOf(after);
}

/** A state of these entries. */
export function stateOf(entries: Iterable<readonly [string, string]>): ConnectionState {
  // The names are somebody's: none of them is a member that objects have by themselves.
  const state = Object.create(null) as Record<string, string>;
  for (const [name, value] of entries) state[name] = value;
  return state;
}
