import type { MockFields } from '../contract/fields.generated.js';
import type { CompileTools } from '../contract/tools.js';
import type { Template } from '../templates/template.js';
import type { ValueTemplate } from '../templates/value.js';
import { isObject, pointTo } from '../validation/pointer.js';

/** Something that a mock pushes into open streams when it matches. */
export interface CompiledEmit {
  /** Makes the target, see {@link parseTarget}. */
  readonly to: Template;
  readonly data: ValueTemplate;
  /** Milliseconds from the match. */
  readonly delay: number;
}

/** Which streams are meant. */
export interface EmitTarget {
  readonly kind: string;
  /** The id of a mock, or of one stream. */
  readonly id: string;
}

const TARGET = /^([^/]+)\/(.+)$/s;

/** Reads `http/pods-watch`: a kind, and the id of a mock or of one stream; `undefined` for any other text. */
export function parseTarget(text: string): EmitTarget | undefined {
  const [, kind, id] = TARGET.exec(text) ?? [];
  return kind === undefined || id === undefined ? undefined : { kind, id };
}

/** What is wrong with a target. */
export function describeTarget(text: string): string {
  return `must name a protocol and a mock, such as "http/pods-watch", got ${JSON.stringify(text.slice(0, 100))}`;
}

/** Compiles `emit`; `undefined` for a mock without it. */
export function compileEmits(
  emits: MockFields['emit'],
  tools: CompileTools,
): readonly CompiledEmit[] | undefined {
  // What is of another form the schema refuses.
  const list: NonNullable<MockFields['emit']> = Array.isArray(emits) ? emits : [];
  if (list.length === 0) return undefined;
  return list
    .flatMap((emit) => (isObject(emit) && typeof emit.to === 'string' ? [emit] : []))
    .map(({ to, data, delay }, index) => {
      const at = pointTo('/emit', index);
      const target = tools.template(to, pointTo(at, 'to'), { target: 'text' });
      if (target.constant && parseTarget(to) === undefined)
        tools.problem(pointTo(at, 'to'), describeTarget(to));
      return {
        to: target,
        data: tools.value(data, pointTo(at, 'data')),
        delay: tools.duration(delay, pointTo(at, 'delay')),
      };
    });
}
