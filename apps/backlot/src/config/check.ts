import {
  checkSettings,
  checkSettingsInSlices,
  createValidator,
  findWarningsInSlices,
  markTested,
  unknownField,
  type HostOptions,
  type Problem,
  type Protocol,
} from '@backlot/core';
import { runAtOnce, runInSlices } from '@backlot/core/plugin';
import { isCertificateHost } from '@backlot/kit';
import { resolve } from 'node:path';
import { BodyFileError, readBodyFile } from './body-files.js';
import { NO_FUNCTIONS, placeFunctions, type LoadedFunctions } from './functions.js';
import { typed } from './interpolate.js';
import type { OpenedConfig } from './open.js';
import { describeMissing, KNOWN_KINDS } from '../plugins/known.js';
import { pointTo, splitPointer } from './pointer.js';
import { ConfigError, sortProblems, type ConfigProblem } from './problem.js';
import { readValueSteps, type ValueReader } from './read-values.js';
import { fileSchema, TopLevelSchema } from './schema.js';
import type { FileSettings } from './settings.js';

type Tree = Readonly<Record<string, unknown>>;

/** What core reads; the rest of the file is the app's. */
const CORE_KEYS = [
  'protocols',
  'scenarios',
  'reactions',
  'state',
  'collections',
  'vars',
  'keys',
  'logs',
  'functions',
  'spaces',
  'seed',
  'host',
] as const;

/** Problems of one sort that are named; the others are counted, as core does. */
const MAX_NAMED = 100;

/**
 * Checks a file against what the protocols declare.
 *
 * @param protocols - every installed protocol
 * @param functions - those that its mocks name, loaded
 * @returns the settings
 * @throws ConfigError with every problem of the file at once, of one sort a hundred
 */
export function checkConfig(
  opened: OpenedConfig,
  protocols: readonly Protocol[],
  functions: LoadedFunctions = NO_FUNCTIONS,
  noteFile?: NoteFile,
): FileSettings {
  const reading = new ReadConfig(opened, noteFile);
  const { options, conclude } = reading.judge(runAtOnce(reading.steps(protocols)), protocols, functions);
  return conclude(checkSettings(options));
}

/** As {@link checkConfig}, in slices: other work goes on beside it. */
export async function checkConfigInSlices(
  opened: OpenedConfig,
  protocols: readonly Protocol[],
  functions: LoadedFunctions,
  noteFile: NoteFile,
): Promise<FileSettings> {
  const reading = new ReadConfig(opened, noteFile);
  const root = await runInSlices(reading.steps(protocols));
  const { options, conclude } = reading.judge(root, protocols, functions);
  return conclude(await checkSettingsInSlices(options));
}

/** Is told of each file that a body is read from, absolute. */
type NoteFile = (path: string) => void;

/** A configuration that is being checked. */
class ReadConfig {
  readonly #opened: OpenedConfig;
  readonly #bodyProblems: Problem[] = [];
  readonly #noteFile: NoteFile;

  constructor(opened: OpenedConfig, noteFile: NoteFile = () => undefined) {
    this.#opened = opened;
    this.#noteFile = noteFile;
  }

  /** Reads the values of the file as people mean them. */
  *steps(protocols: readonly Protocol[]): Generator<undefined, Tree> {
    const reader = readerOf(this.#opened, this.#bodyProblems, this.#noteFile);
    return (yield* readValueSteps(this.#opened.root, fileSchema(protocols), reader)) as Tree;
  }

  /** @returns the options that core is to check, and what concludes with the problems that it finds */
  judge(
    root: Tree,
    protocols: readonly Protocol[],
    functions: LoadedFunctions,
  ): { readonly options: HostOptions; readonly conclude: (found: readonly Problem[]) => FileSettings } {
    const opened = this.#opened;
    placeFunctions(root, protocols, functions);
    markOwn(root, opened);

    const top = createValidator(TopLevelSchema).check(root);
    const blocks = isObject(root['protocols']) ? root['protocols'] : {};
    const kinds = protocols.map(({ kind }) => kind);
    const unknown = Object.keys(blocks).filter((kind) => !kinds.includes(kind));
    const unknownKinds = [
      ...unknown.slice(0, MAX_NAMED).map((kind): Problem => ({
        path: pointTo('/protocols', kind),
        message: unknownProtocol(kind, kinds),
      })),
      ...othersNotNamed('/protocols', unknown.length),
    ];

    const broken = new Set(top.map(({ path }) => splitPointer(path)[0]));
    const settings = Object.fromEntries(
      CORE_KEYS.filter((key) => Object.hasOwn(root, key) && !broken.has(key)).map((key) => [key, root[key]]),
    );
    if (settings['protocols'] !== undefined) {
      settings['protocols'] = Object.fromEntries(
        Object.entries(blocks).filter(([kind]) => kinds.includes(kind)),
      );
    }
    const conclude = (found: readonly Problem[]): FileSettings => {
      const located = [
        ...top,
        ...unknownKinds,
        ...this.#bodyProblems,
        ...functions.problems,
        ...hostProblems(root),
        ...stateProblems(opened),
        ...found.map(inFile),
      ].map((problem) => opened.locate(problem));
      const problems = [
        ...opened.problems,
        ...located.filter((problem): problem is ConfigProblem => problem !== undefined),
      ];
      if (problems.length > 0)
        throw new ConfigError(opened.source.file, sortProblems(withoutRepeats(problems)));
      return root;
    };
    return { options: hostOptions(settings, protocols), conclude };
  }
}

/**
 * What a file may say and hardly means; see `findWarnings` of core.
 *
 * @param settings - what {@link checkConfig} has given
 */
export async function findConfigWarnings(
  opened: OpenedConfig,
  settings: FileSettings,
  protocols: readonly Protocol[],
): Promise<ConfigProblem[]> {
  // The state was checked with the settings, and nothing warns of it: a second copy of it would only take time.
  const used = Object.fromEntries(
    CORE_KEYS.filter((key) => key !== 'state' && Object.hasOwn(settings, key)).map((key) => [
      key,
      settings[key],
    ]),
  );
  const found = await findWarningsInSlices(hostOptions(used, protocols));
  return found.flatMap((problem) => opened.locate(inFile(problem)) ?? []);
}

/** The options of a host, out of those of a file's keys that core reads. */
function hostOptions({ protocols: blocks, ...others }: Tree, protocols: readonly Protocol[]): HostOptions {
  return {
    ...others,
    protocols,
    settings: {
      ...Object.fromEntries(protocols.map(({ kind }) => [kind, { enabled: false }])),
      ...(blocks as HostOptions['settings']),
    },
  };
}

function inFile(problem: Problem): Problem {
  return { ...problem, path: problem.path.replace(/^\/settings\//, '/protocols/') };
}

/** Hosts that no certificate can be made for. */
function hostProblems({ tls }: Tree): Problem[] {
  const hosts = isObject(tls) ? tls['hosts'] : undefined;
  return (Array.isArray(hosts) ? hosts : []).flatMap((host: unknown, index) =>
    typeof host !== 'string' || host === '' || isCertificateHost(host)
      ? []
      : [
          {
            path: `/tls/hosts/${index}`,
            message: `${JSON.stringify(host)} is no host name and no address; write one such as mock.test, *.mock.test or 10.0.0.7`,
          },
        ],
  );
}

/** Values of the state that are no texts: the management port refuses them, and so does a file. */
function stateProblems(opened: OpenedConfig): Problem[] {
  const { state } = opened.root;
  if (!isObject(state)) return [];
  const problems: Problem[] = [];
  let count = 0;
  // Of very many keys a list of pairs takes several times as long; of what a parser made, every key is its own.
  for (const key in state) {
    const value = state[key];
    if (typeof value !== 'number' && typeof value !== 'boolean') continue;
    const path = pointTo('/state', key);
    // What stands for a name is a text, whatever it looks like.
    if (opened.isReplaced(path)) continue;
    count += 1;
    if (count <= MAX_NAMED)
      problems.push({ path, message: `must be a string, got ${String(value)}; write it in quotes` });
  }
  return [...problems, ...othersNotNamed('/state', count)];
}

function othersNotNamed(path: string, count: number): Problem[] {
  return count > MAX_NAMED ? [{ path, message: `${count - MAX_NAMED} more problems are not named` }] : [];
}

function readerOf(opened: OpenedConfig, problems: Problem[], noteFile: (path: string) => void): ValueReader {
  return {
    text: (pointer, value) => opened.textOf(pointer, value),
    typed: (pointer, value) => (opened.isReplaced(pointer) ? typed(value) : value),
    // What is read by HTTP is in no folder.
    path: (pointer, value) =>
      /^https?:\/\//i.test(value) ? value : resolve(opened.folderOf(pointer), value),
    file(pointer, value, takesBytes) {
      const name = value['file'];
      if (typeof name !== 'string' || Object.keys(value).length !== 1) return undefined;
      try {
        noteFile(resolve(opened.folderOf(pointer), name));
        return readBodyFile(opened.folderOf(pointer), name, takesBytes);
      } catch (error) {
        if (!(error instanceof BodyFileError)) throw error;
        if (problems.length < MAX_NAMED) problems.push({ path: `${pointer}/file`, message: error.message });
        else if (problems.length === MAX_NAMED)
          problems.push({
            path: `${pointer}/file`,
            message: 'further files that cannot be read are not named',
          });
        return '';
      }
    },
  };
}

/** Says which mocks and scenarios come with the app. */
function markOwn({ protocols, scenarios }: Tree, opened: OpenedConfig): void {
  const mark = (list: unknown, at: string): void => {
    if (!Array.isArray(list)) return;
    for (const [index, part] of (list as readonly unknown[]).entries())
      if (isObject(part) && opened.isTested(`${at}/${index}`)) markTested(part);
  };
  for (const [kind, block] of Object.entries(isObject(protocols) ? protocols : {})) {
    for (const [name, list] of Object.entries(isObject(block) ? block : {}))
      mark(list, pointTo(pointTo('/protocols', kind), name));
  }
  mark(scenarios, '/scenarios');
}

function unknownProtocol(kind: string, kinds: readonly string[]): string {
  if (KNOWN_KINDS.includes(kind)) return describeMissing(kind, kinds);
  return unknownField(kind, kinds)
    .replace('unknown field', 'unknown protocol')
    .replace('known are', 'installed are');
}

function withoutRepeats(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const byText = new Map(
    problems.map((problem) => [
      `${problem.file} ${problem.place?.line} ${problem.path} ${problem.message}`,
      problem,
    ]),
  );
  return [...byText.values()];
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
