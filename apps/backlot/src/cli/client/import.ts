import { existsSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import {
  checkImport,
  createHost,
  importersFor,
  isBacklotError,
  readImport,
  type Host,
  type Imported,
  type ImportReport,
} from '@backlot/core';
import { runInSlices } from '@backlot/core/plugin';
import { stringify } from 'yaml';
import { queryOf } from '../../client/paths.js';
import { mergeImports } from '../../imports/merge.js';
import { openImport } from '../../imports/open-file.js';
import { importTools } from '../../imports/tools.js';
import { loadPlugins } from '../../plugins/installed.js';
import { CommandError } from '../command-error.js';
import { connect, type ClientFlags } from '../connect.js';
import { print, printJson, printLines } from '../output.js';
import { countsLine, noteLines } from './report-lines.js';

/** The flags of `backlot import`. */
export interface ImportFlags extends ClientFlags {
  readonly format?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly plugin?: readonly string[];
}

/** What a server answers to an import. */
interface Applied {
  readonly created: Readonly<Record<string, number>>;
  readonly replaced: Readonly<Record<string, number>>;
  readonly left: readonly string[];
}

/** Values that are made up are the same each time, as long as nobody has a seed for them. */
const SEED = 1;

/**
 * `backlot import`: makes mocks of files of other tools, and says what was taken, what came over in another form, and what was
 * left out. They are written to a configuration file, or given to a running server; both are checked first, so that one
 * that cannot be used changes nothing.
 */
export async function importFiles(files: readonly string[], flags: ImportFlags): Promise<void> {
  const { out } = flags;
  if (out !== undefined && !/\.(ya?ml|json)$/.test(out))
    throw new CommandError(
      `"${out}" is not a name for a configuration file; use one that ends in .yaml or .json`,
    );
  if (out !== undefined && flags.force !== true && flags.dryRun !== true && existsSync(out))
    throw new CommandError(`${out} is there already; --force replaces it`);
  const read = [];
  for (const file of files) read.push(await readFile(file, flags));
  const imported = mergeImports(read.map((one) => one.imported));
  const reports = read.map(({ report }, index) => ({ ...report, file: files[index] ?? report.file }));
  let applied: Applied | undefined;
  if (flags.dryRun !== true) {
    if (out === undefined) applied = await send(imported, flags);
    else write(out, imported);
  }
  if (flags.json === true) {
    printJson({ files: reports, ...(out === undefined || flags.dryRun === true ? {} : { out }), ...applied });
    return;
  }
  for (const report of reports) printLines(describe(report));
  if (applied !== undefined) printLines(describeApplied(applied));
  else
    print(
      flags.dryRun === true ? 'nothing was changed (--dry-run)' : `wrote ${out}; now: backlot start ${out}`,
    );
}

async function readFile(
  path: string,
  flags: ImportFlags,
): Promise<{ imported: Imported; report: ImportReport }> {
  const { importers, parseTree } = await importTools.load();
  const file = openImport(path, parseTree as Parameters<typeof openImport>[1]);
  const packages = (flags.plugin ?? []).map((name) => ({ name, from: process.cwd() }));
  const manifests = (await loadPlugins(packages, () => false)).map(({ protocol }) => protocol);
  try {
    const fitting = await importersFor(file, manifests, importers, flags.format);
    const { imported, report } = await runInSlices(readImport(file, fitting, { seed: SEED }, flags.format));
    const host = await hostFor(imported, packages);
    const checked = await checkImport(host, imported);
    await host.stop(0);
    return {
      imported: checked.imported,
      report: { ...report, refused: [...report.refused, ...checked.refused] },
    };
  } catch (thrown) {
    if (isBacklotError(thrown)) throw new CommandError(`${path}: ${thrown.message}`);
    throw thrown;
  }
}

/** A host with the kinds of an import, which is never started: it checks mocks. */
async function hostFor(
  { protocols = {} }: Imported,
  packages: Parameters<typeof loadPlugins>[0],
): Promise<Host> {
  const plugins = await loadPlugins(packages, (kind) => Object.hasOwn(protocols, kind));
  const wanted = plugins.map(({ protocol }) => protocol).filter(({ kind }) => Object.hasOwn(protocols, kind));
  return createHost({
    protocols: wanted,
    settings: Object.fromEntries(wanted.map(({ kind }) => [kind, { port: 0 }])),
  });
}

async function send(imported: Imported, flags: ImportFlags): Promise<Applied> {
  const api = await connect(flags);
  const query = queryOf({ format: 'backlot', replace: flags.replace === true ? true : undefined });
  return (await api.post(`/api/import${query}`, imported)) as Applied;
}

function write(file: string, { data: _data, ...settings }: Imported): void {
  const text =
    extname(file) === '.json'
      ? `${JSON.stringify(settings, null, 2)}\n`
      : stringify(settings, { aliasDuplicateObjects: false });
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function describe({ file, title, taken, approximated, refused }: ImportReport): string[] {
  return [
    `${file}: ${title}`,
    `  taken: ${countsLine(taken)}`,
    ...noteLines('approximated', approximated),
    ...noteLines('refused', refused),
  ];
}

function describeApplied({ created, replaced, left }: Applied): string[] {
  return [
    `created: ${countsLine(created)}`,
    ...(Object.keys(replaced).length === 0 ? [] : [`replaced: ${countsLine(replaced)}`]),
    ...left.map((text) => `not applied: ${text}`),
  ];
}
