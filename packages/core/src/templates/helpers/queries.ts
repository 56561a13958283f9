import { parseJson } from '../../patterns/parse-json.js';
import { compileJsonQuery, type JsonQuery } from '../../values/json-query.js';
import type { Found } from '../../values/work-meter.js';
import { parseXml, type ParsedXml } from '../../values/xml.js';
import { compileXpath, type Xpath } from '../../values/xpath.js';
import { COST, type Run } from '../run.js';
import { toText } from '../text-forms.js';
import { textOf, type Argument, type Helper } from './arguments.js';

/** What a step of a query costs, which takes a tenth of a microsecond. */
const STEP = 60;
/** What compiling a query costs, which is done for each message when the query comes from it; also for each character. */
const COMPILED = 30_000;
/** The most arguments of `xpath`: a value, an expression, and prefixes with their namespaces. */
const XPATH_ARGUMENTS = 22;

/** The helpers that search JSON and XML. */
export const QUERY_HELPERS: Readonly<Record<string, Helper>> = {
  json_path: {
    usage: 'json_path request.body "$.items[?@.id == 7].name"',
    fewest: 2,
    most: 3,
    make([value, path, form]) {
      const query = preparedQuery<JsonQuery>(path, (source) => compileJsonQuery(source));
      const asList = textOf(form);
      return (run) => {
        const prepared = query(run);
        const searched = jsonOf(value?.evaluate(run), run);
        if (prepared === undefined || searched === undefined) return undefined;
        return oneOrAll(prepared.find(searched), asList(run) === 'list', run);
      };
    },
  },
  xpath: {
    usage: 'xpath request.body "//item/@id"',
    fewest: 2,
    most: XPATH_ARGUMENTS,
    make([value, path, ...names]) {
      const text = textOf(value);
      const namespaces = new Map<string, string>();
      for (let at = 0; at + 1 < names.length; at += 2)
        namespaces.set(names[at]?.text ?? '', names[at + 1]?.text ?? '');
      const query = preparedQuery<Xpath>(path, (source) => compileXpath(source, namespaces));
      const asList = names.length % 2 === 1 && names.at(-1)?.text === 'list';
      return (run) => {
        const prepared = query(run);
        const { document } = xmlOf(text(run), run);
        if (prepared === undefined || document === undefined) return undefined;
        return oneOrAll(prepared.find(document), asList, run);
      };
    },
  },
};

/** Compiles a query at once when it is known; one that comes from a message and is none gives nothing. */
function preparedQuery<Query>(
  path: Argument | undefined,
  compile: (source: string) => Query,
): (run: Run) => Query | undefined {
  if (path === undefined || path.constant) {
    const query = compile(path?.text ?? '');
    return () => query;
  }
  const source = textOf(path);
  return (run) => {
    const text = source(run);
    run.spend(COMPILED + Math.min(text.length, 2_000) * COST.made);
    try {
      return compile(text);
    } catch {
      return undefined;
    }
  };
}

/** One value as itself, several as a list, and none as nothing. */
function oneOrAll({ values, work }: Found<unknown>, asList: boolean, run: Run): unknown {
  run.spend(work * STEP);
  if (asList) return values;
  return values.length > 1 ? values : values[0];
}

function jsonOf(value: unknown, run: Run): unknown {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return value;
  const text = toText(value);
  run.spend(text.length * COST.encoded);
  return parseJson(text)[0];
}

/** The documents of a rendering: several tags mostly look into the same one. */
const documents = new WeakMap<Run, Map<string, ParsedXml>>();

function xmlOf(text: string, run: Run): ParsedXml {
  const parsed = documents.get(run) ?? new Map<string, ParsedXml>();
  documents.set(run, parsed);
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const made = parseXml(text);
  run.spend(made.work * STEP);
  parsed.set(text, made);
  return made;
}
