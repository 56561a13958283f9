import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Protocol } from '@backlot/core';
import { Document } from 'yaml';
import { editorSchema } from '../config/schema.js';
import { loadPlugins } from '../plugins/installed.js';
import { CommandError } from './command-error.js';
import { print } from './output.js';

/** `backlot init`: writes a commented configuration file and the schema by which editors complete it. */
export async function init(file: string, isForced: boolean): Promise<void> {
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
  const protocols = (await loadPlugins([])).map(({ protocol }) => protocol);
  try {
    writeFileSync(file, startingFile(protocols, schemaName));
    writeFileSync(schemaFile, `${JSON.stringify(editorSchema(protocols), null, 2)}\n`);
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  print(`wrote ${file} and ${schemaFile}; now: backlot start${file === 'backlot.yaml' ? '' : ` -c ${file}`}`);
}

/** The text of a configuration file in which the first protocol is ready and the others are commented out. */
function startingFile(protocols: readonly Protocol[], schemaName: string): string {
  const [first, ...others] = protocols;
  const lines = [
    `# yaml-language-server: $schema=./${schemaName}`,
    '#',
    '# Backlot: mock servers for many protocols. `backlot start` in this folder starts what stands here,',
    '# `backlot validate` checks it, `backlot plugins` lists the protocols.',
    '',
    '# The management API. Without a token everybody on this machine may use it.',
    '# api:',
    '#   port: 9091',
    '#   token: ${BACKLOT_TOKEN:-secret}',
    '',
    'protocols:',
    ...(first === undefined ? ['  {}'] : blockOf(first)),
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
    ...text.split('\n').map((line) => (line === '' ? '' : `  ${line}`)),
  ];
}
