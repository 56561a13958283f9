import { ComposedIndex, ExactIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { readVariable } from './match/variables.js';
import type { CompiledGraphql } from './matcher.js';
import type { GraphqlMessage } from './message.js';
import type { LoadedSchema } from './schema/load-schema.js';

type Held = Candidates<CompiledGraphql>;

/** Mocks that look at the same place in the variables, by the text they want there. */
interface Place {
  readonly steps: readonly string[];
  readonly byText: ExactIndex<string, Held>;
}

/** What the index finds a mock of one name by. */
type Found = Pick<CompiledGraphql, 'variable' | 'document'>;

/** The mocks of one operation name. */
class Named {
  /** All of them, to say why none matches, and those that want no exact variable. */
  readonly #some = new ExactIndex<'all' | 'rest', Held>();
  readonly #byPlace = new Map<string, Place>();
  readonly #byDocument = new ExactIndex<string, Held>();

  get isEmpty(): boolean {
    return this.#some.size === 0;
  }

  find(message: GraphqlMessage, found: Held[]): void {
    if (message.isUnmatched) return this.#some.find('all', found);
    this.#some.find('rest', found);
    if (this.#byDocument.size > 0) this.#byDocument.find(message.document, found);
    for (const { steps, byText } of this.#byPlace.values()) {
      const text = readVariable(message, steps);
      if (text !== undefined) byText.find(text, found);
    }
  }

  change({ variable, document }: Found, change: Change<Held>): void {
    this.#some.change('all', change);
    if (variable?.exact === undefined) {
      if (document === undefined) this.#some.change('rest', change);
      else this.#byDocument.change(document, change);
      return;
    }
    const { place, steps, exact } = variable;
    const { byText } = this.#byPlace.get(place) ?? { byText: new ExactIndex<string, Held>() };
    byText.change(exact, change);
    if (byText.size === 0) this.#byPlace.delete(place);
    else this.#byPlace.set(place, { steps, byText });
  }
}

/**
 * Finds mocks by the name of the operation and by the first variable of which they want an exact value, or by their document, so that what a
 * request costs does not grow with the number of mocks.
 */
export class OperationIndex extends ComposedIndex<GraphqlMessage, CompiledGraphql> {
  readonly #byName = new Map<string, Named>();
  readonly #ofAnyName = new Named();
  /** The schema of the configuration, which has been read when it was checked. */
  loaded: LoadedSchema | undefined;
  /** The documents of the configuration, by id. */
  documents: ReadonlyMap<string, string> = new Map();

  find(message: GraphqlMessage, found: Held[]): void {
    if (message.name !== undefined) this.#byName.get(message.name)?.find(message, found);
    this.#ofAnyName.find(message, found);
  }

  protected change(compiled: CompiledGraphql, change: Change<Held>): void {
    const { name } = compiled;
    if (name === undefined) return this.#ofAnyName.change(compiled, change);
    const named = this.#byName.get(name) ?? new Named();
    named.change(compiled, change);
    if (named.isEmpty) this.#byName.delete(name);
    else this.#byName.set(name, named);
  }
}
