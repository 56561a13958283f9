/** One level of filters: what may come next, and whether a filter ends. */
class Step {
  names: Map<string, Step> | undefined;
  /** `+` */
  any: Step | undefined;
  /** `#` */
  takesAll = false;
  isEnd = false;
}

/**
 * Filters that may still take a topic after some of its levels. What follows a level is found once for each name and kept,
 * so that many topics of one form cost no more than their levels, however many filters there are.
 */
export class FilterSet {
  /** Whether a topic that ends here is taken. */
  readonly takesHere: boolean;
  readonly #takesAll: boolean;
  readonly #steps: readonly Step[];
  readonly #nextByName = new Map<string, FilterSet>();
  #any: FilterSet | 'unknown' | undefined = 'unknown';
  #byName: Map<string, Step[]> | undefined;

  private constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#takesAll = steps.some((step) => step.takesAll);
    this.takesHere = this.#takesAll || steps.some((step) => step.isEnd);
  }

  /** The filters, at the beginning of a topic; yields after each of them. */
  static *of(filters: readonly string[]): Generator<undefined, FilterSet> {
    const root = new Step();
    for (const filter of filters) {
      let step = root;
      for (const name of filter.split('/')) {
        if (name === '#') step.takesAll = true;
        else if (name === '+') step = step.any ??= new Step();
        else step = stepTo(step, name);
      }
      if (!step.takesAll) step.isEnd = true;
      yield;
    }
    return new FilterSet([root]);
  }

  /** Whether nothing below can be taken. */
  get isEnd(): boolean {
    return !this.#takesAll && this.#steps.every((step) => step.names === undefined && step.any === undefined);
  }

  /** The names that alone may come next; `undefined` where any may. */
  get namesOnly(): ReadonlyMap<string, unknown> | undefined {
    return this.#takesAll || this.#afterAny() !== undefined ? undefined : this.#afterNames();
  }

  /** The filters behind a level of that name; `undefined` when none is left. */
  next(name: string): FilterSet | undefined {
    // What else there is adds nothing to a filter that takes everything.
    if (this.#takesAll) return this;
    const named = this.#afterNames().get(name);
    const any = this.#afterAny();
    if (named === undefined) return any;
    let next = this.#nextByName.get(name);
    if (next === undefined) {
      next = new FilterSet(any === undefined ? named : [...any.#steps, ...named]);
      this.#nextByName.set(name, next);
    }
    return next;
  }

  /** {@link next} for the first level of a topic that begins with `$`: wildcards do not take it [MQTT-4.7.2-1]. */
  nextNamed(name: string): FilterSet | undefined {
    const named = this.#afterNames().get(name);
    return named === undefined ? undefined : new FilterSet(named);
  }

  /** Behind a level that no filter names. */
  #afterAny(): FilterSet | undefined {
    if (this.#any === 'unknown') {
      const steps = this.#steps.flatMap((step) => step.any ?? []);
      this.#any = steps.length === 0 ? undefined : new FilterSet(steps);
    }
    return this.#any;
  }

  #afterNames(): ReadonlyMap<string, readonly Step[]> {
    if (this.#byName !== undefined) return this.#byName;
    const names = new Map<string, Step[]>();
    for (const step of this.#steps) {
      for (const [name, next] of step.names ?? []) {
        const known = names.get(name);
        if (known === undefined) names.set(name, [next]);
        else known.push(next);
      }
    }
    this.#byName = names;
    return names;
  }
}

function stepTo(step: Step, name: string): Step {
  const names = (step.names ??= new Map<string, Step>());
  const known = names.get(name);
  if (known !== undefined) return known;
  const made = new Step();
  names.set(name, made);
  return made;
}
