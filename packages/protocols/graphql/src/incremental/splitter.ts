import { GraphQLError, type FieldNode } from 'graphql';
import type { Failure } from '../answer/failure.js';
import type { DeferUsage } from './defer-plan.js';
import type { FragmentPart, Part, PartScope, Place } from './parts.js';
import type { DeliverableResult } from './untyped-result.js';

/** Values between two offers to let others in. */
const STEP = 200;
/** Values of all payloads together: a client may ask for the same ones in many fragments. */
const MAX_VALUES = 300_000;

type Steps<T> = Generator<undefined, T>;

/** A value on its way into a payload. */
interface Taken {
  readonly path: Place;
  readonly scope: PartScope;
  /** The part that brings it; `undefined` for the first result. */
  readonly part: Part | undefined;
}

/** Splits a finished result into the first one and the parts that come later. */
export class Splitter {
  readonly #result: DeliverableResult;
  /** All parts, each behind those that it needs. More are found as they are taken. */
  readonly parts: Part[] = [];
  /** The part that brings a place, for errors; by the place as JSON. */
  readonly #bringing = new Map<string, Part>();
  readonly #hasErrors: boolean;
  #fresh: Part[] = [];
  #count = 0;

  /** @param hasErrors - whether {@link sort} will be asked */
  constructor(result: DeliverableResult, hasErrors: boolean) {
    this.#result = result;
    this.#hasErrors = hasErrors;
  }

  /** The parts for which something was found since this was called last. */
  takeFresh(): readonly Part[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  /** The data of the first result. */
  first(): Steps<unknown> {
    return this.#take(this.#result.data, { path: [], scope: new Map(), part: undefined });
  }

  /** The data that a fragment brings, by the objects that are there already. */
  *pieces(part: FragmentPart): Steps<{ readonly path: Place; readonly data: object }[]> {
    const made: { path: Place; data: object }[] = [];
    for (const { path, object, keys, scope } of part.pieces.values()) {
      const data = emptyObject();
      for (const key of keys)
        data[key] = yield* this.#take(valueAt(object, key), { path: [...path, key], scope, part });
      made.push({ path, data });
    }
    return made;
  }

  /** An item of a list that comes later. */
  item(part: Extract<Part, { type: 'items' }>, index: number): Steps<unknown> {
    const { path, scope, start, items } = part;
    return this.#take(items[index], { path: [...path, start + index], scope, part });
  }

  /** All that stands in a fragment, also what another part has brought. */
  *whole(part: FragmentPart): Steps<unknown> {
    return yield* this.#project(part.object, part.usage);
  }

  /** Puts each error to the part that brings its place; gives those of the first result. */
  sort(errors: readonly Failure[]): readonly Failure[] {
    return errors.filter((error) => {
      const { path = [] } = error;
      for (let length = path.length; length > 0; length -= 1) {
        const part = this.#bringing.get(JSON.stringify(path.slice(0, length)));
        if (part === undefined) continue;
        part.errors.push(error);
        return false;
      }
      return true;
    });
  }

  *#take(value: unknown, taken: Taken): Steps<unknown> {
    if (this.#countOne()) yield;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return yield* this.#takeList(value, taken);
    const groups = this.#result.noted.groupsOf(value);
    if (groups === undefined) return value;
    const { path, part } = taken;
    const scope = this.#open(value, groups, taken);
    const { plan, noted } = this.#result;
    const made = emptyObject();
    for (const [key, inner] of Object.entries(value)) {
      const nodes = groups.get(key);
      const later = nodes && this.#laterPart(nodes, scope);
      if (later === undefined) made[key] = yield* this.#take(inner, { path: [...path, key], scope, part });
      else this.#putOff(later, value, key, path, scope);
    }
    for (const [key, error] of noted.failuresOf(value) ?? []) {
      const usage = plan.deliveryOf(groups.get(key) ?? []).with;
      const later = usage && scope.get(usage);
      if (later === undefined) continue;
      later.failure ??= error;
      this.#fresh.push(later);
    }
    return made;
  }

  *#takeList(list: readonly unknown[], { path, scope, part }: Taken): Steps<unknown[]> {
    const noted = this.#result.noted.listOf(list);
    const streamed = noted && this.#result.plan.streamOf(noted.nodes);
    const end = Math.min(streamed?.initialCount ?? list.length, list.length);
    const made: unknown[] = [];
    for (let index = 0; index < end; index += 1)
      made.push(yield* this.#take(list[index], { path: [...path, index], scope, part }));
    if (streamed !== undefined && (end < list.length || noted?.failure !== undefined)) {
      const { label } = streamed;
      const items = list.slice(end);
      const { failure } = noted ?? {};
      const later: Part = {
        ...{ type: 'items', label, path, after: part, errors: [], failure, items, start: end, scope },
      };
      this.parts.push(later);
      this.#fresh.push(later);
      items.forEach((_, index) => this.#bring([...path, end + index], later));
    }
    return made;
  }

  /** Begins the fragments that stand at an object. */
  #open(
    object: object,
    groups: ReadonlyMap<string, readonly FieldNode[]>,
    { path, scope, part }: Taken,
  ): PartScope {
    const opened = this.#result.plan.openedBy(groups);
    if (opened.length === 0) return scope;
    const inner = new Map<DeferUsage, FragmentPart>(scope);
    for (const usage of opened) {
      this.#countOne();
      const after = (usage.parent && inner.get(usage.parent)) ?? part;
      const made: FragmentPart = {
        ...{ type: 'fragment', label: usage.label, path, after, errors: [], failure: undefined },
        ...{ usage, object, pieces: new Map() },
      };
      inner.set(usage, made);
      this.parts.push(made);
    }
    return inner;
  }

  #laterPart(nodes: readonly FieldNode[], scope: PartScope): FragmentPart | undefined {
    const { isLater, with: usage } = this.#result.plan.deliveryOf(nodes);
    return isLater && usage !== undefined ? scope.get(usage) : undefined;
  }

  #putOff(part: FragmentPart, object: object, key: string, path: Place, scope: PartScope): void {
    const known = part.pieces.get(object);
    if (known !== undefined) known.keys.push(key);
    else {
      part.pieces.set(object, { path, object, keys: [key], scope });
      this.#fresh.push(part);
    }
    this.#bring([...path, key], part);
  }

  #bring(path: Place, part: Part): void {
    if (this.#hasErrors) this.#bringing.set(JSON.stringify(path), part);
  }

  *#project(value: unknown, usage: DeferUsage): Steps<unknown> {
    if (this.#countOne()) yield;
    if (typeof value !== 'object' || value === null) return value;
    const { noted, plan } = this.#result;
    if (Array.isArray(value)) {
      const list = noted.listOf(value);
      const streamed = list && plan.streamOf(list.nodes);
      const made: unknown[] = [];
      for (const item of value.slice(0, streamed?.initialCount)) made.push(yield* this.#project(item, usage));
      return made;
    }
    const groups = noted.groupsOf(value);
    if (groups === undefined) return value;
    const made = emptyObject();
    for (const [key, inner] of Object.entries(value)) {
      const { usages } = plan.deliveryOf(groups.get(key) ?? []);
      if (usages.includes(usage)) made[key] = yield* this.#project(inner, usage);
    }
    return made;
  }

  /** Counts a value. Gives whether others should be let in. */
  #countOne(): boolean {
    this.#count += 1;
    if (this.#count > MAX_VALUES)
      throw new GraphQLError(`the parts of the answer have more than ${MAX_VALUES} fields; ask for less`);
    return this.#count % STEP === 0;
  }
}

function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function valueAt(object: object, key: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[key];
}
