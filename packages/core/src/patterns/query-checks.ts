import type { Message } from '../contract/message.js';
import { invalid } from '../errors.js';
import { isObject } from '../validation/pointer.js';
import { compileJsonQuery } from '../values/json-query.js';
import type { Found } from '../values/work-meter.js';
import { compileXpath } from '../values/xpath.js';
import { clip, COST, passes, show, showSource, type Check, type Mismatch } from './check.js';
import { parsedText } from './document.js';
import { spendEffort } from './effort.js';
import { jsonCheck, unfit } from './json-checks.js';

/** Compiles a pattern that stands in another. */
type CompileInner = (source: unknown) => Check;

const MAX_SHOWN_VALUES = 5;

/** `json_path`: a JSONPath finds something, or something that matches a pattern. */
export function jsonPathCheck(source: unknown, compileInner: CompileInner): Check {
  const { path, is } = readFields('json_path', source, compileInner);
  const query = compileJsonQuery(path);
  return jsonCheck(
    (value, message) => judge(query.find(value), path, is, message),
    wordsFor('JSONPath', path, is),
    COST.query,
  );
}

/** `xpath`: an XPath selects something, computes something that is true, or gives what matches a pattern. */
export function xpathCheck(source: unknown, compileInner: CompileInner): Check {
  const { path, is } = readFields('xpath', source, compileInner);
  const expression = compileXpath(path);
  const words = wordsFor('XPath', path, is);
  const compare = (text: unknown, message: Message | undefined): Mismatch | undefined => {
    if (typeof text !== 'string') return { steps: [], got: text, note: ', which is no XML', want: words };
    const { document, problem } = parsedText(text).xml;
    if (document === undefined) return { steps: [], got: text, note: `, which ${problem}`, want: words };
    const found = expression.find(document);
    // Without a pattern `count(//item) > 2` is a condition.
    const values = is === undefined ? found.values.filter((value) => value !== false) : found.values;
    return judge({ ...found, values }, path, is, message);
  };
  return {
    present: (text, message) => compare(text, message) === undefined,
    why: compare,
    compare,
    absent: false,
    cost: COST.query,
    words,
  };
}

/** Whether what was found is right. Nothing found is an absent value for the pattern, as at every place. */
function judge(
  { values, problem, work }: Found<unknown>,
  path: string,
  is: Check | undefined,
  message: Message | undefined,
): Mismatch | undefined {
  spendEffort(work);
  if (problem !== undefined)
    return { steps: [path], got: undefined, note: ` (the query ${problem})`, want: is?.words ?? 'something' };
  if (values.length === 0) {
    if (is?.absent === true) return undefined;
    return { steps: [path], got: undefined, want: is?.words ?? 'something' };
  }
  if (is === undefined || values.some((value) => passes(is, value, message))) return undefined;
  if (values.length === 1) return { steps: [path], got: values[0], want: is.words };
  const others = values.length - MAX_SHOWN_VALUES;
  const shown = values.slice(0, MAX_SHOWN_VALUES).map(showSource).join(', ');
  return {
    steps: [path],
    got: undefined,
    found: `got ${clip(shown)}${others > 0 ? ` and ${others} more` : ''}`,
    want: `one of them to be ${is.words}`,
  };
}

function readFields(
  name: 'json_path' | 'xpath',
  source: unknown,
  compileInner: CompileInner,
): { readonly path: string; readonly is: Check | undefined } {
  if (typeof source === 'string') return { path: source, is: undefined };
  const { path, is, ...others } = isObject(source) ? source : {};
  if (typeof path !== 'string') throw unfit(name, source, 'a text, or an object with path and perhaps is');
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw invalid(`pattern field "${name}" has an unknown field ${show(other)}; known are path, is`);
  return { path, is: is === undefined || is === '' ? undefined : compileInner(is) };
}

function wordsFor(language: string, path: string, is: Check | undefined): string {
  return is === undefined
    ? `something at the ${language} ${show(path)}`
    : `${is.words} at the ${language} ${show(path)}`;
}
