import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { Match } from '../contract/outcome.js';
import type { StoredMock } from '../contract/given.js';
import type { AnsweringMock } from '../mocks/responder.js';
import type { Template, TemplateScope, ValueTemplate } from '../templates/template.js';
import type { Delay } from '../time/delay.js';
import type { Feed } from './feed.js';
import type { MockMatch } from './match.js';

/** A match whose mock has the answer that its function has made. */
export class AnsweredMatch implements Match {
  readonly type = 'matched';
  readonly mock: AnsweringMock;
  readonly #match: MockMatch;

  constructor(match: MockMatch, mock: AnsweringMock) {
    this.#match = match;
    this.mock = mock;
  }

  /** What its function goes on sending. */
  get feed(): Feed | undefined {
    return this.mock.feed;
  }

  get call(): number {
    return this.#match.call;
  }

  get params(): Readonly<Record<string, string>> {
    return this.#match.params;
  }

  get scope(): TemplateScope {
    return this.#match.scope;
  }

  delayOf(delay: Delay): number {
    return this.#match.delayOf(delay);
  }

  render(template: Template): string {
    return this.#match.render(template);
  }

  renderValue(template: ValueTemplate): unknown {
    return this.#match.renderValue(template);
  }
}

/** Why a function gave no answer. It has been logged, and is not logged again where it ends the answer. */
export class FunctionFailure extends Error {
  override readonly name = 'FunctionFailure';
}

/** Whether something that was thrown is, or was caused by, what has been logged already. */
export function isLogged(thrown: unknown): boolean {
  let each = thrown;
  // A cause may be its own.
  for (let depth = 0; depth < 8 && each instanceof Error; depth += 1) {
    if (each instanceof FunctionFailure) return true;
    each = each.cause;
  }
  return false;
}

/** A mock whose function has failed: whoever makes the answer learns of it, as of a template that cannot be rendered. */
export class FailedMock implements AnsweringMock {
  readonly id: string;
  readonly value: StoredMock;
  readonly #failure: Error;

  constructor({ id, value }: { readonly id: string; readonly value: StoredMock }, failure: Error) {
    this.id = id;
    this.value = value;
    this.#failure = failure;
  }

  get compiled(): CompiledMock<Message> {
    throw this.#failure;
  }
}
