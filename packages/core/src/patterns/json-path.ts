/**
 * Splits a path into a JSON value, such as `items.0.name`, into its steps: names and list indexes. `a[0]` means `a.0`,
 * `\.` is a dot within a name, and a leading `$` is left out.
 */
export function parseJsonPath(source: string): readonly string[] {
  if (source === '' || source === '$') return [];
  const dotted = source.replace(/^\$\.?/, '').replace(/\[(\d+)\]/g, '.$1');
  const steps: string[] = [];
  let step = '';
  for (let index = 0; index < dotted.length; index += 1) {
    const character = dotted.charAt(index);
    if (character === '\\' && dotted.charAt(index + 1) === '.') {
      step += '.';
      index += 1;
    } else if (character === '.') {
      steps.push(step);
      step = '';
    } else {
      step += character;
    }
  }
  steps.push(step);
  return steps[0] === '' && steps.length > 1 ? steps.slice(1) : steps;
}

/** The value at a place, or `undefined`; only own members count. */
export function readJsonPath(value: unknown, steps: readonly string[]): unknown {
  let here = value;
  for (const step of steps) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    if (Array.isArray(here) && step === 'length') return undefined;
    here = (here as Readonly<Record<string, unknown>>)[step];
  }
  return here;
}

/** Texts of lists and objects, where they are long: many mocks may look at the same place of one message. */
const texts = new WeakMap<object, string>();
const LONG = 1024;

/**
 * How a JSON value compares with a pattern: a text as it is, everything else as its JSON text. A list or an object is
 * not to be changed afterwards. One that is nested too deep to be written has no text.
 */
export function jsonText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
  if (text.length > LONG) texts.set(value, text);
  return text;
}
