import { expandFolders, type PointedProblem } from './expand-folders.js';
import { interpolate, writtenText, type Environment } from './interpolate.js';
import { isMocklyName, unify, withMocklyDefaults } from './mockly.js';
import { ConfigError, type ConfigProblem } from './problem.js';
import { findTooDeep } from './read-values.js';
import {
  dottedPath,
  parseSource,
  placeOf,
  readSource,
  scalarAt,
  valueOf,
  type ConfigSource,
} from './source.js';

type Tree = Readonly<Record<string, unknown>>;

/** A configuration file that was read and not checked yet. */
export interface OpenedConfig {
  readonly source: ConfigSource;
  /** The file's value: names replaced, folders expanded, Mockly's block moved. */
  readonly root: Tree;
  /** Whether the file is written for Mockly, by its block or its name. */
  readonly isMockly: boolean;
  readonly notices: readonly string[];
  /** What was wrong so far. */
  readonly problems: readonly ConfigProblem[];
  /** Further packages that the file asks for. */
  readonly plugins: readonly string[];
  /** A problem of `root` as one of the file; `undefined` when it only follows from a name without a value. */
  locate(problem: PointedProblem): ConfigProblem | undefined;
  /** Where a pointer into `root` stands in the file. */
  origin(pointer: string): string;
  /** The folder from which what stands at a pointer into `root` names files. */
  folderOf(pointer: string): string;
  /** Whether what stands at a pointer into `root` comes with the app. */
  isTested(pointer: string): boolean;
}

/**
 * Reads a configuration file up to the point where the protocols it needs must be known.
 *
 * @param file - the name as given
 * @param base - the folder that a relative name starts from
 * @throws ConfigError when there is no such file or it cannot be parsed
 */
export function openConfig(file: string, base: string, environment: Environment): OpenedConfig {
  return openSource(readSource(file, base), environment);
}

/** What there is to open where no file is: a configuration without anything, in a folder. */
export function openNothing(folder: string): OpenedConfig {
  return openSource(parseSource('{}', 'backlot.json', folder), {});
}

function openSource(source: ConfigSource, environment: Environment): OpenedConfig {
  const missing = interpolate(source, environment);
  const value = valueOf(source);
  const tooDeep = findTooDeep(value);
  if (tooDeep !== undefined) fail(source, tooDeep, 'is nested too deeply');
  if (!isObject(value)) fail(source, '', 'the file must hold keys and values, such as "protocols:"');

  const unified = unify(value);
  const protocols = unified.root['protocols'];
  const expanded = isObject(protocols) ? expandFolders(protocols, source.folder) : undefined;
  const isMockly = unified.isMockly || isMocklyName(source.file);
  const root =
    expanded === undefined
      ? unified.root
      : {
          ...unified.root,
          protocols: isMockly ? withMocklyDefaults(expanded.protocols) : expanded.protocols,
        };
  const origin = (pointer: string): string => unified.origin(expanded?.origin(pointer) ?? pointer);
  const locate = ({ path, message }: PointedProblem): ConfigProblem | undefined => {
    const pointer = origin(path);
    if (missing.length > 0 && String(scalarAt(source, pointer)?.value).includes('${')) return undefined;
    const written = writtenText(scalarAt(source, pointer));
    return {
      place: placeOf(source, pointer),
      path: dottedPath(source, pointer),
      message: written === undefined ? message : `${message} (written as ${JSON.stringify(written)})`,
    };
  };
  const found = [...unified.problems, ...(expanded?.problems ?? [])].map((problem): ConfigProblem => {
    return {
      place: placeOf(source, problem.path),
      path: dottedPath(source, problem.path),
      message: problem.message,
    };
  });
  const plugins = root['plugins'];
  return {
    source,
    root,
    isMockly,
    notices: unified.notices,
    problems: [...missing, ...found],
    plugins: Array.isArray(plugins)
      ? plugins.filter((name): name is string => typeof name === 'string' && name !== '')
      : [],
    locate,
    origin,
    folderOf: () => source.folder,
    isTested: () => false,
  };
}

function fail(source: ConfigSource, pointer: string, message: string): never {
  throw new ConfigError(source.file, [
    { place: placeOf(source, pointer), path: dottedPath(source, pointer), message },
  ]);
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
