import type { Match } from '../contract/outcome.js';
import type { Message } from '../contract/message.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import type { Template, TemplateScope, ValueTemplate } from '../templates/template.js';
import { hashText } from '../random/random.js';
import { rollDelay, type Delay } from '../time/delay.js';
import type { KindRuntime } from './runtime.js';
import { Scope } from './scope.js';

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(
  Object.create(null) as Record<string, string>,
);

/** A mock that has matched a message; what costs something is made when it is first read. */
export class MockMatch implements Match {
  readonly type = 'matched';
  readonly mock: EffectiveMock;
  readonly call: number;
  readonly #runtime: KindRuntime;
  readonly #message: Message;
  #params: Readonly<Record<string, string>> | undefined;
  #scope: TemplateScope | undefined;

  constructor(runtime: KindRuntime, message: Message, mock: EffectiveMock, call: number) {
    this.#runtime = runtime;
    this.#message = message;
    this.mock = mock;
    this.call = call;
  }

  get params(): Readonly<Record<string, string>> {
    return (this.#params ??= this.mock.compiled.params?.(this.#message) ?? NO_PARAMS);
  }

  get scope(): TemplateScope {
    return (this.#scope ??= new Scope(this.#runtime.services, this.#message, () => this.params, [
      this.#runtime.kind,
      this.mock.id,
      this.call,
    ]));
  }

  delayOf(delay: Delay): number {
    if (typeof delay === 'number') return delay;
    const { kind, services } = this.#runtime;
    return rollDelay(delay, services.seed, hashText(`${kind}/${this.mock.id}`) ^ delay.salt, this.call);
  }

  render(template: Template): string {
    return template.constant ? template.source : template.render(this.scope);
  }

  renderValue(template: ValueTemplate): unknown {
    return template.render(this.scope);
  }
}
