import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Protocol } from '@backlot/core';
import { Document } from 'yaml';
import { editorSchema } from '../config/editor-schema.js';
import { loadPlugins } from '../plugins/installed.js';
import type { Plugin } from '../plugins/plugin.js';
import { isPath, pathFrom } from '../plugins/plugin-package.js';
import { CommandError } from './command-error.js';
import { print } from './output.js';

/**
 * `backlot init`: writes a commented configuration file and the schema by which editors complete it.
 *
 * @param packages - further plugins, which the file then names
 */
export async function init(file: string, packages: readonly string[], isForced: boolean): Promise<void> {
  if (!/\.ya?ml$/.test(file))
    throw new CommandError(`"${file}" is not a name for a YAML file; use one that ends in .yaml`);
  const schemaName = `${basename(file, extname(file))}.schema.json`;
  const schemaFile = join(dirname(file), schemaName);
  const inTheWay = [file, schemaFile].filter((name) => existsSync(name));
  if (inTheWay.length > 0 && !isForced) {
    throw new CommandError(
      `${inTheWay.join(' and ')} ${inTheWay.length === 1 ? 'is' : 'are'} there already; --force replaces ${inTheWay.length === 1 ? 'it' : 'them'}`,
    );
  }
  const plugins = await loadPlugins(packages.map((name) => ({ name, from: process.cwd() })));
  const protocols = plugins.map(({ protocol }) => protocol);
  try {
    writeFileSync(file, startingFile(plugins, dirname(file), schemaName));
    writeFileSync(schemaFile, `${JSON.stringify(editorSchema(protocols))}\n`);
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  print(`wrote ${file} and ${schemaFile}; now: backlot start${file === 'backlot.yaml' ? '' : ` -c ${file}`}`);
}

/**
 * The text of a configuration file in which the first protocol and what was asked for are ready, and the others are
 * commented out.
 */
function startingFile(plugins: readonly Plugin[], folder: string, schemaName: string): string {
  const [first, ...others] = plugins.filter(({ isBuiltIn }) => isBuiltIn).map(({ protocol }) => protocol);
  const further = plugins.filter(({ isBuiltIn }) => !isBuiltIn);
  const lines = [
    `# yaml-language-server: $schema=./${schemaName}`,
    '#',
    '# Backlot: mock servers for many protocols. `backlot start` in this folder starts what stands here,',
    '# `backlot validate` checks it, `backlot plugins` lists the protocols.',
    '',
    '# The management API. Without a token everybody on this machine may use it.',
    '# api:',
    '#   port: 9091',
    '#   token: ${BACKLOT_API_TOKEN:-secret}',
    '',
    ...listPlugins(further, folder),
    'protocols:',
    ...(first === undefined ? ['  {}'] : blockOf(first)),
    ...further.flatMap(({ protocol }) => ['', ...blockOf(protocol)]),
    ...others.flatMap((protocol) => ['', ...commentOut(blockOf(protocol))]),
    '',
    '# Values that mocks with a `state` condition look at; `set_state` of a mock and the API change them.',
    '# state:',
    '#   logged_in: "no"',
    '',
    '# Named sets of changes, switched on and off while it runs: `backlot scenario activate outage`.',
    '# scenarios:',
    '#   - id: outage',
    '#     patches:',
    `#       - mock_id: ${first?.mocks.examples[0]?.id ?? 'some-mock'}`,
    '#         disabled: true',
    '',
  ];
  return lines.join('\n');
}

/** The lines that name plugins; a path starts from the folder of the file. */
function listPlugins(plugins: readonly Plugin[], folder: string): string[] {
  if (plugins.length === 0) return [];
  const names = plugins.map(({ package: name }) => (isPath(name) ? pathFrom(folder, name) : name));
  return [
    '# Protocols that do not come with Backlot: packages by name, folders with a dot.',
    `plugins: [${names.map((name) => JSON.stringify(name)).join(', ')}]`,
    '',
  ];
}

function commentOut([summary = '', ...lines]: readonly string[]): string[] {
  return [summary, ...lines.map((line) => `  # ${line.slice(2)}`.trimEnd())];
}

function blockOf(protocol: Protocol): string[] {
  const { configKey, examples } = protocol.mocks;
  const block = { [protocol.kind]: { port: protocol.meta.defaultPort, [configKey]: examples.slice(0, 2) } };
  const text = new Document(block, { aliasDuplicateObjects: false })
    .toString({ indent: 2, lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity })
    .trimEnd();
  return [
    `  # ${protocol.meta.summary}`,
    ...text.split(/\r?\n/).map((line) => (line === '' ? '' : `  ${line}`)),
  ];
}
