import { refusalOf } from '../collections/run-operations.js';
import type { Message } from '../contract/message.js';
import { isBacklotError } from '../errors.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import type { TemplateScope } from '../templates/template.js';
import type { KindRuntime } from './runtime.js';
import { Scope } from './scope.js';

/** The values for templates that are only asked: counters give the number that would come, and stay where they are. */
class AskingScope extends Scope {
  readonly #last: (name: string) => number;
  readonly #used = new Map<string, number>();

  constructor(...given: ConstructorParameters<typeof Scope>) {
    super(...given);
    const [services] = given;
    this.#last = (name) => services.sequences.at(name);
  }

  override seq(name: string): number {
    const used = (this.#used.get(name) ?? 0) + 1;
    this.#used.set(name, used);
    return this.#last(name) + used;
  }
}

/** Why the data that mocks share does not let a mock match a message now; nothing is changed. */
export function dataRefusal(runtime: KindRuntime, mock: EffectiveMock, message: Message): string | undefined {
  try {
    return refusal(runtime, mock, message);
  } catch (thrown) {
    // A template that gives too much.
    if (!isBacklotError(thrown)) throw thrown;
    return thrown.message;
  }
}

function refusal(runtime: KindRuntime, mock: EffectiveMock, message: Message): string | undefined {
  const { operations = [], once } = mock.data ?? {};
  const scope = askingScope(runtime, mock, message);
  if (once !== undefined) {
    const name = nameOfAnswer(runtime, mock, message);
    const first = name === undefined ? undefined : runtime.services.once.find(name);
    if (first !== undefined) {
      if (once.same === undefined || once.same.render(scope) === first.same) return undefined;
      return `once: "${once.key.render(scope)}" is the key of another message`;
    }
  }
  return operations.length === 0 ? undefined : refusalOf(operations, scope, runtime.services.collections);
}

/** Under which name the answer of a mock with `once` is kept; `undefined` when it is not. */
export function nameOfAnswer(
  runtime: KindRuntime,
  mock: EffectiveMock,
  message: Message,
): string | undefined {
  const { once } = mock.data ?? {};
  if (once === undefined) return undefined;
  try {
    const key = once.key.render(askingScope(runtime, mock, message));
    return key === '' ? undefined : `${runtime.kind} ${mock.id} ${key}`;
  } catch (thrown) {
    // A key that is too large to be made is none.
    if (!isBacklotError(thrown)) throw thrown;
    return undefined;
  }
}

/** The values for templates that are asked about a message before a mock has matched it. */
export function askingScope(runtime: KindRuntime, mock: EffectiveMock, message: Message): TemplateScope {
  const { compiled, id, slot } = mock;
  const call = runtime.counts.callsOf(slot) + 1;
  return new AskingScope(runtime.services, message, () => compiled.params?.(message) ?? {}, [
    runtime.kind,
    id,
    call,
  ]);
}
