import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledGraphql } from '../matcher.js';
import type { GraphqlMessage } from '../message.js';
import { readVariable, type VariableCondition } from './variables.js';

type Mocks = Bucket<CompiledGraphql>;

/** Mocks that look at the same place in the variables, by the text they want there. */
interface Place {
  readonly steps: readonly string[];
  readonly byText: Map<string, Mocks>;
}

/** The mocks of one operation name. */
interface Named {
  /** All of them, to say why none matches. */
  readonly all: Mocks;
  readonly byPlace: Map<string, Place>;
  /** Those that want no exact variable. */
  readonly rest: Mocks;
}

/**
 * Finds mocks by the name of the operation and by the first variable of which they want an exact value, so that what a
 * request costs does not grow with the number of mocks.
 */
export class OperationIndex implements MockIndex<GraphqlMessage, CompiledGraphql> {
  readonly #byName = new Map<string, Named>();
  readonly #ofAnyName = makeNamed();

  add(mock: IndexedMock<CompiledGraphql>): void {
    const { name, variable } = mock.compiled;
    const named = this.#makeNamed(name);
    insertByRank(named.all, mock);
    insertByRank(makeBucket(named, variable), mock);
  }

  remove(mock: IndexedMock<CompiledGraphql>): void {
    const { name, variable } = mock.compiled;
    const named = name === undefined ? this.#ofAnyName : this.#byName.get(name);
    if (named === undefined) return;
    removeByRank(named.all, mock);
    removeByRank(makeBucket(named, variable), mock);
    release(named, variable);
    if (name !== undefined && named.all.length === 0) this.#byName.delete(name);
  }

  find(message: GraphqlMessage, found: Mocks[]): void {
    const named = message.name === undefined ? undefined : this.#byName.get(message.name);
    if (named !== undefined) findIn(named, message, found);
    findIn(this.#ofAnyName, message, found);
  }

  #makeNamed(name: string | undefined): Named {
    if (name === undefined) return this.#ofAnyName;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const made = makeNamed();
    this.#byName.set(name, made);
    return made;
  }
}

function makeNamed(): Named {
  return { all: [], byPlace: new Map(), rest: [] };
}

function findIn({ all, byPlace, rest }: Named, message: GraphqlMessage, found: Mocks[]): void {
  if (message.isUnmatched) {
    found.push(all);
    return;
  }
  if (rest.length > 0) found.push(rest);
  for (const { steps, byText } of byPlace.values()) {
    const text = readVariable(message, steps);
    const bucket = text === undefined ? undefined : byText.get(text);
    if (bucket !== undefined) found.push(bucket);
  }
}

function makeBucket({ byPlace, rest }: Named, variable: VariableCondition | undefined): Mocks {
  if (variable?.exact === undefined) return rest;
  let place = byPlace.get(variable.place);
  if (place === undefined) {
    place = { steps: variable.steps, byText: new Map() };
    byPlace.set(variable.place, place);
  }
  let bucket = place.byText.get(variable.exact);
  if (bucket === undefined) {
    bucket = [];
    place.byText.set(variable.exact, bucket);
  }
  return bucket;
}

function release({ byPlace }: Named, variable: VariableCondition | undefined): void {
  if (variable?.exact === undefined) return;
  const place = byPlace.get(variable.place);
  if (place?.byText.get(variable.exact)?.length === 0) place.byText.delete(variable.exact);
  if (place?.byText.size === 0) byPlace.delete(variable.place);
}
