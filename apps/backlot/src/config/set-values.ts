import { parse } from 'yaml';
import type { OpenedConfig } from './open.js';
import { pointTo, splitPointer } from './pointer.js';
import type { ConfigProblem } from './problem.js';

/** A setting that a flag or a variable gives, over what files say. */
export interface GivenSetting {
  /** How it was given, for messages: `--set`, or the name of a variable. */
  readonly by: string;
  /** As in `protocols.http.port=0`. */
  readonly text: string;
}

interface Setting extends GivenSetting {
  readonly path: string;
  readonly steps: readonly string[];
  readonly value: unknown;
}

/** What a step is: a name, `[3]`, or `["a name with dots"]`. */
const STEP = /^(?:\.?([A-Za-z_*$][\w$*/-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/;

/**
 * Puts settings over what the files of a configuration say. A value is a text, which may mean a number or a truth value where one is
 * wanted; one that begins with `{`, `[` or a quote is read as YAML, and `null` takes away what is there. A step into a list is an
 * index, or the id of an element.
 */
export function setValues(opened: OpenedConfig, given: readonly GivenSetting[]): OpenedConfig {
  if (given.length === 0) return opened;
  const problems: ConfigProblem[] = [];
  const bySpot = new Map<string, Setting>();
  const root = structuredClone(opened.root);
  for (const each of given) {
    const setting = readSetting(each);
    if (typeof setting === 'string') {
      problems.push({ file: each.by, place: undefined, path: '', message: setting });
      continue;
    }
    const put = putAt(root, setting);
    if ('message' in put)
      problems.push({ file: each.by, place: undefined, path: setting.path, message: put.message });
    else bySpot.set(put.pointer, setting);
  }
  const of = (pointer: string): Setting | undefined => {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
      const found = bySpot.get(pointer.slice(0, end));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  // What a setting is in may be there for it alone.
  const makerOf = (pointer: string): Setting | undefined => {
    if (isIn(opened.root, pointer)) return undefined;
    return [...bySpot].find(([spot]) => spot.startsWith(`${pointer}/`))?.[1];
  };
  return {
    ...opened,
    root,
    problems: [...opened.problems, ...problems],
    locate(problem) {
      const setting = of(problem.path) ?? makerOf(problem.path);
      if (setting === undefined) return opened.locate(problem);
      return { file: setting.by, place: undefined, path: setting.path, message: problem.message };
    },
    // What is given is a text as long as nothing says otherwise.
    isReplaced: (pointer) => bySpot.has(pointer) || (of(pointer) === undefined && opened.isReplaced(pointer)),
    textOf: (pointer, value) => (of(pointer) === undefined ? opened.textOf(pointer, value) : String(value)),
    folderOf: (pointer) => (of(pointer) === undefined ? opened.folderOf(pointer) : process.cwd()),
  };
}

/** A setting, or what is wrong with its form. */
function readSetting(given: GivenSetting): Setting | string {
  const { text } = given;
  const steps: string[] = [];
  let rest = text;
  for (let found = STEP.exec(rest); found !== null && rest !== ''; found = STEP.exec(rest)) {
    const [whole, name, index, quoted] = found;
    if (whole.startsWith('.') === (steps.length === 0)) {
      if (name !== undefined) break;
    }
    steps.push(name ?? index ?? (JSON.parse(quoted ?? '""') as string));
    rest = rest.slice(whole.length);
  }
  if (steps.length === 0 || !rest.startsWith('='))
    return `${JSON.stringify(text)} is no setting; write path=value, as in protocols.http.port=0 or state["a key"]=on`;
  if (steps[0] === 'include' || steps[0] === 'plugins')
    return `${steps[0]} says what is read, which is over when settings are put over it; write it into a file, or use --config and --plugin`;
  const written = rest.slice(1);
  const path = text.slice(0, text.length - rest.length);
  if (written === 'null') return { ...given, path, steps, value: undefined };
  if (!/^\s*[{["']/.test(written)) return { ...given, path, steps, value: written };
  try {
    return { ...given, path, steps, value: parse(written) as unknown };
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split(/\r?\n/);
    return `the value of ${path} is no YAML: ${why}`;
  }
}

function putAt(
  root: Record<string, unknown>,
  { steps, value }: Setting,
): { readonly pointer: string } | { readonly message: string } {
  let node: unknown = root;
  let pointer = '';
  for (const [place, step] of steps.entries()) {
    const isLast = place === steps.length - 1;
    if (Array.isArray(node)) {
      const index = indexIn(node, step);
      if (index === undefined)
        return {
          message: `there is no element "${step}" in this list of ${node.length}; name one by its id, or by an index from 0 to ${node.length}`,
        };
      pointer = pointTo(pointer, index);
      if (isLast && value === undefined) node.splice(index, 1);
      else if (isLast) node[index] = value;
      else node = node[index] ??= {};
      continue;
    }
    if (typeof node !== 'object' || node === null)
      return {
        message: `there is ${JSON.stringify(node)} where "${step}" would stand; take that away first`,
      };
    const tree = node as Record<string, unknown>;
    pointer = pointTo(pointer, step);
    if (isLast && value === undefined) delete tree[step];
    else if (isLast) define(tree, step, value);
    else {
      const inner = Object.hasOwn(tree, step) ? tree[step] : undefined;
      if (inner === undefined || inner === null) define(tree, step, {});
      node = tree[step];
    }
  }
  return { pointer };
}

/** The index of an element by its id or its number; that of one behind the last is where one may be added. */
function indexIn(list: readonly unknown[], step: string): number | undefined {
  const byId = list.findIndex(
    (item) => typeof item === 'object' && item !== null && String((item as { id?: unknown }).id) === step,
  );
  if (byId >= 0) return byId;
  return /^\d+$/.test(step) && Number(step) <= list.length ? Number(step) : undefined;
}

function isIn(root: unknown, pointer: string): boolean {
  let node: unknown = root;
  for (const name of splitPointer(pointer)) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return false;
    node = (node as Record<string, unknown>)[name];
  }
  return true;
}

function define(tree: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(tree, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The settings of variables whose names are `BACKLOT_SET` or begin with `BACKLOT_SET_`, in the order of the names. */
export function settingsOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): GivenSetting[] {
  return Object.keys(environment)
    .filter((name) => /^BACKLOT_SET(?:_|$)/.test(name))
    .sort()
    .flatMap((name) => {
      const text = environment[name] ?? '';
      return text === '' ? [] : [{ by: name, text }];
    });
}
