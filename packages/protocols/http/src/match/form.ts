import {
  isPatternSource,
  LATER,
  parseJsonPath,
  pointTo,
  readJsonPlaces,
  type CompileTools,
  type Miss,
  type PatternSource,
  type PlaceSource,
  type Pointer,
} from '@backlot/core/plugin';
import type { HttpMessage } from '../message.js';
import type { RequestFields } from '../schemas/request.js';

type FormCondition = (message: HttpMessage) => true | Miss | typeof LATER;

const BRACKETS = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/**
 * What the fields of a form must be: by the name as it comes, which may be repeated, else by its place in the nested form, which
 * is the one that templates see.
 */
export function compileForm(
  form: RequestFields['form'],
  tools: CompileTools,
  at: Pointer,
): readonly FormCondition[] {
  return Object.entries(form ?? {}).flatMap(([name, wanted]) => {
    const here = pointTo(at, name);
    if (wanted === null) {
      tools.problem(here, 'a form has no null; for a field that is not there write {absent: true}');
      return [];
    }
    const condition = tools.attempt(here, undefined, () => {
      const source = asTexts(wanted);
      return isPatternSource(source)
        ? fieldCondition(name, source, tools, here)
        : valueCondition(name, source, tools, at);
    });
    return condition === undefined ? [] : [waiting(condition)];
  });
}

function waiting(condition: (message: HttpMessage) => true | Miss): FormCondition {
  return (message) => (message.hasToWait('form') ? LATER : condition(message));
}

/** A pattern: one value of a field that came more than once is enough. */
function fieldCondition(
  name: string,
  source: PatternSource,
  tools: CompileTools,
  at: Pointer,
): ((message: HttpMessage) => true | Miss) | undefined {
  const pattern = tools.pattern(source, at);
  if (pattern.any) return undefined;
  const steps = stepsOf(name);
  return (message) => {
    const values = valuesAt(message, name, steps);
    const fits = (value: unknown): boolean =>
      typeof value === 'string' ? pattern.test(value, message) : pattern.testValue(value, message);
    if (values.length === 0 ? pattern.test(undefined, message) : values.some(fits)) return true;
    return () =>
      values.every((value) => typeof value === 'string')
        ? pattern.reason(`form ${name}`, values.length === 0 ? undefined : values.join(', '), message)
        : pattern.reasonOfValue(`form ${name}`, values.length === 1 ? values[0] : values, message);
  };
}

/** A value whose texts are patterns, as nested as the form is. */
function valueCondition(
  name: string,
  source: PlaceSource,
  tools: CompileTools,
  at: Pointer,
): ((message: HttpMessage) => true | Miss) | undefined {
  const [condition] = tools.places({ [name]: source }, at, { label: 'form' });
  if (condition === undefined || condition.any) return undefined;
  const steps = stepsOf(name);
  return (message) => {
    const found = valuesAt(message, name, steps);
    // A list of one is a text where it came without brackets.
    const value = Array.isArray(source) ? found : found[0];
    return condition.test(found.length === 0 ? undefined : placed(condition.steps, value), message);
  };
}

/** A value where a condition looks for it. */
function placed(steps: readonly string[], value: unknown): unknown {
  return steps.reduceRight((inner, step) => ({ [step]: inner }), value);
}

/** The values of a field: those that came under the very name, else those at its place; of a list, its elements. */
function valuesAt(message: HttpMessage, name: string, steps: readonly string[]): readonly unknown[] {
  const { form } = message;
  const flat = form[name];
  if (flat !== undefined) return typeof flat === 'string' ? [flat] : flat;
  return readJsonPlaces(message.extras['form'], steps).flat();
}

/** The place that a name means: `items[0][price]` and `items.0.price`; `tags[]` is any of them. */
function stepsOf(name: string): readonly string[] {
  const [, root, rest] = BRACKETS.exec(name) ?? [];
  if (root === undefined || rest === undefined) return parseJsonPath(name);
  const inner = rest.slice(1, -1).split('][');
  return [root, ...inner.map((key) => (key === '' ? '*' : key))];
}

/** Forms hold texts only: a number is meant as its text. */
function asTexts(wanted: PlaceSource): PlaceSource {
  if (typeof wanted === 'number' || typeof wanted === 'boolean') return String(wanted);
  if (Array.isArray(wanted)) return wanted.map((each: PlaceSource) => asTexts(each));
  if (typeof wanted !== 'object' || wanted === null) return wanted;
  if (isPatternSource(wanted)) return wanted;
  return Object.fromEntries(Object.entries(wanted).map(([name, inner]) => [name, asTexts(inner)]));
}
