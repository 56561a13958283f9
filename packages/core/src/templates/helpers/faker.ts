import { invalid, messageOf } from '../../errors.js';
import { randomFor, type Random } from '../../random/random.js';
import { suggest } from '../../validation/suggest.js';
import { ifInstalled } from '../../values/library.js';
import { FAKE_KINDS } from '../fake-data.js';
import { COST, type Evaluate } from '../run.js';
import { toText } from '../text-forms.js';
import type { Prepared } from './arguments.js';

/** What a value of the library costs, which takes up to 50 microseconds. */
const MADE = 50_000;
/** Parts of the library that make nothing by themselves. */
const NO_MODULES: ReadonlySet<string> = new Set(['helpers', 'fakerCore', 'rawDefinitions', 'definitions']);

interface Faker {
  readonly rawDefinitions: object;
  setDefaultRefDate(source: () => Date): void;
}

type FakerClass = new (options: { locale: object; randomizer: object }) => Faker;

/** The library where it was offered, else where it is installed. */
let offered: Faker | undefined;
const library = ifInstalled<{ readonly faker: Faker }>('@faker-js/faker/locale/en');

/** What the library draws from and takes for now while it makes a value. */
let random: Random = randomFor(1, 'faker');
let now = 0;
let methods: ReadonlyMap<string, () => unknown> | undefined;

/** Takes the library from who has loaded it: a loader that takes no ES modules, as jest's, cannot load it later. */
export function offerFaker(faker: object): void {
  offered = faker as Faker;
}

/**
 * Prepares a call of `fake` with a name of @faker-js/faker, such as `person.firstName`. Its chance is that of the message, and
 * its dates go by the virtual clock.
 *
 * @throws invalid when the library is not installed, has no such method, or the method wants arguments
 */
export function fakerCall(name: Prepared<string>): Evaluate {
  if (name.constant !== undefined) checkMethod(name.constant);
  return (run) => {
    const wanted = name.get(run);
    run.spend(COST.made);
    const own = FAKE_KINDS.get(wanted);
    if (own !== undefined) return own(run.scope.random());
    run.spend(MADE);
    random = run.scope.random();
    now = run.scope.now();
    const value = valueOf(methodsOf()?.get(wanted));
    run.spend(toText(value).length * COST.encoded);
    return value;
  };
}

function valueOf(method: (() => unknown) | undefined): unknown {
  try {
    return method?.();
  } catch {
    return undefined;
  }
}

function checkMethod(name: string): void {
  const known = methodsOf();
  if (known === undefined) {
    throw invalid(
      `template helper "fake": ${JSON.stringify(name)} needs the package @faker-js/faker, which is not installed beside Backlot (npm install @faker-js/faker); without it there are ${[...FAKE_KINDS.keys()].join(', ')}`,
    );
  }
  const method = known.get(name);
  if (method === undefined) {
    const meant = suggest(name, [...known.keys()]);
    throw invalid(
      `template helper "fake": @faker-js/faker has no ${JSON.stringify(name)}${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    );
  }
  random = randomFor(1, 'faker');
  try {
    method();
  } catch (thrown) {
    throw invalid(
      `template helper "fake": ${JSON.stringify(name)} makes nothing by itself: ${messageOf(thrown)}`,
    );
  }
}

/** The methods of all modules by their names, made when the first is asked for; `undefined` when it is not installed. */
function methodsOf(): ReadonlyMap<string, () => unknown> | undefined {
  if (methods !== undefined) return methods;
  const installed = offered ?? library()?.faker;
  if (installed === undefined) return undefined;
  // An instance of our own: whoever else uses the library in this program keeps the chance of theirs.
  const faker = new (installed.constructor as FakerClass)({
    locale: installed.rawDefinitions,
    randomizer: { next: () => random.next(), seed: () => undefined },
  });
  faker.setDefaultRefDate(() => new Date(now));
  const found = new Map<string, () => unknown>();
  for (const [name, part] of Object.entries(faker)) {
    if (NO_MODULES.has(name) || typeof part !== 'object' || part === null) continue;
    for (const [method, make] of Object.entries(part as object)) {
      if (typeof make === 'function') found.set(`${name}.${method}`, make as () => unknown);
    }
  }
  methods = found;
  return found;
}
