import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listProtocols } from '../protocol-order.mjs';
import { tsdoc } from './comments.mjs';
import { readShared } from './core-types.mjs';
import { formatAs } from './format.mjs';
import { pascal } from './names.mjs';
import { TypeWriter } from './writer.mjs';

/** @typedef {import('./writer.mjs').Schema} Schema */

/**
 * The types of what people write of a protocol, one file in each package.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateProtocolTypes(root) {
  const core = await import(pathToFileURL(join(root, 'packages/core/dist/index.js')).href);
  const shared = await readShared(root);
  /** @type {Record<string, string>} */
  const files = {};
  for (const { kind } of listProtocols(root)) {
    const module = pathToFileURL(join(root, 'packages/protocols', kind, 'dist/index.js')).href;
    const exported = Object.values(await import(module));
    const protocol = exported.find((value) => value?.kind === kind && value.mocks !== undefined);
    const file = `packages/protocols/${kind}/src/types.generated.ts`;
    files[file] = await formatAs(root, file, writeTypes(protocol, core, shared));
  }
  return files;
}

/**
 * @param {any} protocol
 * @param {any} core its functions that make whole schemas
 * @param {Awaited<ReturnType<typeof readShared>>} shared
 * @returns {string}
 */
function writeTypes(protocol, core, shared) {
  const prefix = pascal(protocol.kind);
  const { title, transport } = protocol.meta;
  const { noun, configKey, schema: own } = protocol.mocks;
  const names = {
    mock: `${prefix}Mock`,
    answer: `${prefix}Answer`,
    fault: `${prefix}Fault`,
    config: `${prefix}Config`,
    captured: `${prefix}Captured`,
    types: `${prefix}Types`,
  };
  /** @type {{ key: string, name: string, noun: string, schema: Schema }[]} */
  const items = Object.entries(protocol.itemLists ?? {}).map(([key, itemList]) => ({
    key,
    name: prefix + pascal(itemList.noun),
    noun: itemList.noun,
    schema: core.itemSchemaOf(itemList),
  }));

  const writer = new TypeWriter(prefix);
  writer.know('PatternSource', shared.pattern);
  writer.know('DelaySource', shared.delay);
  writer.know('PlaceSource', shared.place);
  for (const { name, schema } of shared.interfaces) writer.know(name, schema);
  for (const name of Object.values(names)) writer.know(name);
  writer.know(names.mock, core.mockSchemaOf(protocol));
  for (const { name, schema } of items) writer.know(name, schema);
  const ours = new Set([...Object.values(names), ...items.map(({ name }) => name)]);

  const called = noun === 'mock' ? '' : `: a ${noun}`;
  const { answer } = protocol.mocks;
  const respond =
    answer === undefined
      ? []
      : [
          `${tsdoc('A function that makes the answer, in place of the fields for it.')}readonly respond?: RespondFunction<${names.answer}> | FunctionName;\n`,
        ];
  writer.addInterface(
    names.mock,
    own,
    `A mock of ${title}${called}, as it is written.`,
    'MockFields',
    respond,
  );
  if (answer !== undefined) {
    const fields = answer.fields.map((/** @type {string} */ field) => JSON.stringify(field)).join(' | ');
    const direct = answer.direct === undefined ? 'never' : JSON.stringify(answer.direct);
    writer.add(
      `${tsdoc(`What a function may return that answers for a mock of ${title}.`)}export type ${names.answer} = AnswerOf<${names.mock}, ${fields}, ${direct}>;\n`,
    );
    for (const name of ['AnswerOf', 'FunctionName', 'RespondFunction']) writer.used.add(name);
  }
  if (protocol.fault !== undefined) {
    const base = transport === 'datagram' ? 'FaultFields' : 'StreamFaultFields';
    writer.addInterface(names.fault, protocol.fault.schema, `A fault of ${title}, as it is written.`, base);
  }
  for (const { name, noun, schema } of items)
    writer.addInterface(name, schema, `A ${noun} of ${title}, as it is written.`);
  const {
    enabled: _enabled,
    host: _host,
    port: _port,
    toxics: _toxics,
    upstream: _upstream,
    ...properties
  } = core.settingsSchemaOf(protocol).properties;
  const config = { ...core.settingsSchemaOf(protocol), properties };
  writer.addInterface(
    names.config,
    config,
    `The settings of ${title}, as they are written.`,
    'SettingsFields',
  );
  if (protocol.capture !== undefined)
    writer.addInterface(names.captured, protocol.capture.schema, `A message that ${title} has kept.`);
  const stream =
    protocol.streams === undefined
      ? 'never'
      : writer.typeOf(protocol.streams.data, { parent: prefix, key: 'pushed' });
  const itemTypes = items.map(({ key, name }) => `readonly ${JSON.stringify(key)}: ${name};`).join(' ');
  writer.add(`${tsdoc(`What ${title} declares, as types.`)}export interface ${names.types} extends ProtocolTypes {
    readonly kind: '${protocol.kind}';
    readonly config: ${names.config};
    readonly mock: ${names.mock};
    readonly fault: ${protocol.fault === undefined ? 'never' : names.fault};
    readonly capture: ${protocol.capture === undefined ? 'never' : names.captured};
    readonly stream: ${stream};
    readonly list: '${configKey}';
    readonly items: ${items.length === 0 ? 'never' : `{ ${itemTypes} }`};
  }
`);

  const isShared = new Set([
    'AnswerOf',
    'DelaySource',
    'FunctionName',
    'RespondFunction',
    'PatternSource',
    'PlaceSource',
    ...shared.interfaces.map(({ name }) => name),
  ]);
  const imported = [...writer.used].filter((name) => isShared.has(name) && !ours.has(name));
  return `// Generated by \`pnpm gen\` from the schemas of this package; do not edit.
import type { ${[...imported, 'ProtocolTypes'].sort().join(', ')} } from '@backlot/core/plugin';

${writer.text}`;
}
