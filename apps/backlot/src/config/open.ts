import { runAtOnce } from '@backlot/core/plugin';
import { expandFolders, type PointedProblem } from './expand-folders.js';
import { replacedAt } from './interpolate-plain.js';
import { interpolate, scalarValueAt, writtenText, type Environment } from './interpolate.js';
import { isMocklyName, unify, withMocklyDefaults } from './mockly.js';
import { ConfigError, type ConfigProblem } from './problem.js';
import { tooDeepSteps } from './read-values.js';
import type { UnsetUpstream } from './upstream-names.js';
import {
  dottedPath,
  parseSourceSteps,
  placeOf,
  readSourceSteps,
  textAt,
  valueOf,
  type ConfigSource,
} from './source.js';

type Tree = Readonly<Record<string, unknown>>;

/** A package that a file asks for. */
export interface WantedPackage {
  readonly name: string;
  /** The folder where it is looked for. */
  readonly from: string;
}

/** A configuration that was read and not checked yet. */
export interface OpenedConfig {
  /** The file, of several the first. */
  readonly source: ConfigSource;
  /** Its value: names replaced, folders expanded, Mockly's block moved. */
  readonly root: Tree;
  /** Whether the file is written for Mockly, by its block or its name. */
  readonly isMockly: boolean;
  /** What was accepted and has no effect. */
  readonly notices: readonly ConfigProblem[];
  /** What was wrong so far. */
  readonly problems: readonly ConfigProblem[];
  /** Settings of upstreams that lack a value, and may need none. */
  readonly unset: readonly UnsetUpstream[];
  /** Further packages that it asks for. */
  readonly plugins: readonly WantedPackage[];
  /** A problem of `root` as one of the file; `undefined` when it only follows from a name without a value. */
  locate(problem: PointedProblem): ConfigProblem | undefined;
  /** Whether the text at a pointer into `root` stands for something else that was written, and may mean a number or a truth value. */
  isReplaced(pointer: string): boolean;
  /** The text of a number or a truth value at a pointer into `root` as it was written. */
  textOf(pointer: string, value: number | boolean): string;
  /** The folder from which what stands at a pointer into `root` names files. */
  folderOf(pointer: string): string;
  /** Whether what stands at a pointer into `root` comes with the app. */
  isTested(pointer: string): boolean;
}

/**
 * Reads one configuration file, in steps, up to the point where the protocols it needs must be known, without what it includes.
 *
 * @param file - the name as given
 * @param base - the folder that a relative name starts from
 * @param known - the variables of files that were read before
 * @throws ConfigError when there is no such file or it cannot be parsed
 */
export function* openFileSteps(
  file: string,
  base: string,
  environment: Environment,
  known?: ReadonlyMap<string, string>,
): Generator<undefined, OpenedConfig> {
  return yield* openSourceSteps(yield* readSourceSteps(file, base), environment, known);
}

/** What there is to open where no file is: a configuration without anything, in a folder. */
export function openNothing(folder: string): OpenedConfig {
  return runAtOnce(openSourceSteps(runAtOnce(parseSourceSteps('{}', 'backlot.json', folder)), {}));
}

function* openSourceSteps(
  source: ConfigSource,
  environment: Environment,
  known?: ReadonlyMap<string, string>,
): Generator<undefined, OpenedConfig> {
  const { problems: missing, upstreams: unset } = interpolate(source, environment, known);
  const value = valueOf(source);
  const tooDeep = yield* tooDeepSteps(value);
  if (tooDeep !== undefined) fail(source, tooDeep, 'is nested too deeply');
  if (!isObject(value)) fail(source, '', 'the file must hold keys and values, such as "protocols:"');

  const unified = unify(withoutNotes(value));
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
  const inFile = ({ path, message }: PointedProblem): ConfigProblem => ({
    file: source.file,
    place: placeOf(source, path),
    path: dottedPath(source, path),
    message,
  });
  const plugins = root['plugins'];
  return {
    source,
    root,
    isMockly,
    notices: unified.notices.map(({ path, message }) => ({
      file: source.file,
      place: placeOf(source, path),
      path: '',
      message,
    })),
    problems: [...missing, ...[...unified.problems, ...(expanded?.problems ?? [])].map(inFile)],
    unset,
    plugins: Array.isArray(plugins)
      ? plugins
          .filter((name): name is string => typeof name === 'string' && name !== '')
          .map((name) => ({ name, from: source.folder }))
      : [],
    locate({ path, message }) {
      const pointer = origin(path);
      if (missing.length + unset.length > 0 && String(scalarValueAt(source, pointer)).includes('${'))
        return undefined;
      const written = writtenText(source, pointer);
      return inFile({
        path: pointer,
        message: written === undefined ? message : `${message} (written as ${JSON.stringify(written)})`,
      });
    },
    isReplaced: (pointer) => writtenText(source, origin(pointer)) !== undefined,
    textOf(pointer, scalar) {
      const replaced = replacedAt(source, origin(pointer));
      if (replaced !== undefined) return replaced.text;
      // In a plain file it is written as it is printed; of JSON only whole numbers were looked at for that.
      if (
        source.plain !== undefined &&
        !(source.isJson && typeof scalar === 'number' && !Number.isInteger(scalar))
      )
        return String(scalar);
      return textAt(source, origin(pointer)) ?? String(scalar);
    },
    folderOf: () => source.folder,
    isTested: () => false,
  };
}

/** Keys of the top that begin with `x-` are for the file itself, such as anchors to use elsewhere in it. */
function withoutNotes(root: Tree): Tree {
  const names = Object.keys(root);
  if (!names.some((name) => name.startsWith('x-'))) return root;
  return Object.fromEntries(names.filter((name) => !name.startsWith('x-')).map((name) => [name, root[name]]));
}

function fail(source: ConfigSource, pointer: string, message: string): never {
  throw new ConfigError(source.file, [
    { place: placeOf(source, pointer), path: dottedPath(source, pointer), message },
  ]);
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
