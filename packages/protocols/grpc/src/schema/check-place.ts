import type { CompileTools, Pointer } from '@backlot/core/plugin';
import { unknownField } from '../codec/encode.js';
import { wellKnownOf } from '../codec/well-known.js';
import type { Field, FieldKind, MessageType, Method } from './model.js';

/**
 * Checks a place in messages of a type, so that a condition on it can hold.
 *
 * @returns what is wrong with it, as far as the type tells
 */
export function problemOfPlace(type: MessageType, steps: readonly string[]): string | undefined {
  let here: MessageType | undefined = type;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] ?? '';
    if (here === undefined) return `"${steps.slice(0, index).join('.')}" holds no fields`;
    // Their JSON form has no fields, or others.
    if (wellKnownOf(here) !== undefined) return undefined;
    const field: Field | undefined = here.byName.get(step);
    // Requests are read with the names of the `.proto` file.
    if (field?.name !== step) return `"${step}" ${unknownField(here)}`;
    const entry: FieldKind | undefined = field.kind.type === 'map' ? field.kind.value.kind : undefined;
    if (field.isRepeated || entry !== undefined) {
      index += 1;
      const key = steps[index];
      if (entry === undefined && key !== undefined && !/^(?:-?\d+|\*)$/.test(key))
        return `"${step}" is a list; name an element by its number, such as "${step}.0", or any by "${step}.*"`;
    }
    const kind: FieldKind = entry ?? field.kind;
    // A text may be JSON, in which anything may be.
    if (kind.type === 'scalar' && kind.scalar === 'string') return undefined;
    here = kind.type === 'message' ? kind.message : undefined;
  }
  return undefined;
}

/** A short name may mean methods of several services: a place is wrong when none of them has it. */
export function checkPlace(
  methods: readonly Method[],
  steps: readonly string[],
  at: Pointer,
  tools: CompileTools,
): void {
  const problems = methods.map(({ request }) => problemOfPlace(request, steps));
  const [problem] = problems;
  if (problem !== undefined && !problems.includes(undefined)) tools.problem(at, problem);
}
