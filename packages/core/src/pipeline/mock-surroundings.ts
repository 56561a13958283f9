import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import { invalid } from '../errors.js';
import type { OwnSurroundings } from '../patterns/pattern-settings.js';
import { compileTemplate } from '../templates/template.js';
import type { CompileBudget } from '../validation/compile-budget.js';
import type { HostServices } from './runtime.js';
import { Scope } from './scope.js';

/** Helpers that have an effect, or that give something else each time. */
const NOT_HERE = /\{\{[^}]*\b(seq|uuid|rand_[a-z]+|pick|fake|lorem)\b/;
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(
  Object.create(null) as Record<string, string>,
);

/** What the patterns of one mock ask of its host beside the value that they look at. */
export class MockSurroundings implements OwnSurroundings {
  compiled: Pick<CompiledMock<Message>, 'params'> | undefined;
  isUsed = false;
  readonly #services: HostServices;
  /** What was made for the newest message; it is gone when the message is. */
  #newest: WeakRef<Scope> | undefined;

  constructor(services: HostServices) {
    this.#services = services;
  }

  clock(): () => number {
    this.isUsed = true;
    const { clock } = this.#services;
    return () => clock.now();
  }

  template(source: string, budget: CompileBudget): (message: Message | undefined) => string {
    const unfit = NOT_HERE.exec(source)?.[1];
    if (unfit !== undefined)
      throw invalid(
        `the template ${JSON.stringify(source)} is only compared with, so it cannot use ${unfit}`,
      );
    this.isUsed = true;
    const template = compileTemplate(source, { target: 'text', budget });
    return (message) => (template.constant ? source : template.render(this.#scopeOf(message)));
  }

  #scopeOf(message: Message | undefined): Scope {
    const known = this.#newest?.deref();
    if (known !== undefined && known.message === message) return known;
    let captured: Readonly<Record<string, string>> | undefined =
      message === undefined ? NO_PARAMS : undefined;
    const params = (): Readonly<Record<string, string>> =>
      (captured ??= (message && this.compiled?.params?.(message)) ?? NO_PARAMS);
    const made = new Scope(this.#services, message, params, ['same_as']);
    this.#newest = new WeakRef(made);
    return made;
  }
}
