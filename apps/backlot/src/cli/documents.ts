import { createHost, variableNamesOf } from '@backlot/core';
import { createOpenApiDocument } from '@backlot/management';
import { editorSchema } from '../config/editor-schema.js';
import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
import { loadPlugins } from '../plugins/installed.js';
import type { Plugin } from '../plugins/plugin.js';
import { readVersion } from '../version.js';
import { printJson, printLines } from './output.js';
import { formatTable } from './table.js';

function load(packages: readonly string[]): Promise<Plugin[]> {
  return loadPlugins(packages.map((name) => ({ name, from: process.cwd() })));
}

/** `backlot schema`. */
export async function schema(packages: readonly string[]): Promise<void> {
  const loaded = await load(packages);
  printJson(editorSchema(loaded.map(({ protocol }) => protocol)));
}

/** `backlot plugins`. */
export async function plugins(packages: readonly string[], asJson: boolean): Promise<void> {
  const loaded = await load(packages);
  if (asJson) {
    printJson(
      loaded.map(({ protocol, package: name, isBuiltIn }) => ({
        protocol: protocol.kind,
        title: protocol.meta.title,
        package: name,
        built_in: isBuiltIn,
        transport: protocol.meta.transport,
        default_port: protocol.meta.defaultPort,
        summary: protocol.meta.summary,
        variables: variableNamesOf(protocol),
      })),
    );
    return;
  }
  printLines(
    formatTable(
      ['protocol', 'package', 'port', 'what it is'],
      loaded.map(({ protocol, package: name }) => [
        protocol.kind,
        name,
        String(protocol.meta.defaultPort),
        protocol.meta.summary,
      ]),
    ),
  );
  const there = new Set<string>(loaded.map(({ protocol }) => protocol.kind));
  const missing = INSTALLED_PROTOCOLS.filter(({ kind }) => !there.has(kind));
  if (missing.length > 0) {
    printLines(['', `Not installed: ${missing.map((entry) => entry.package).join(', ')}`]);
  }
}

/** `backlot openapi`. */
export async function openapi(packages: readonly string[]): Promise<void> {
  const loaded = await load(packages);
  const host = await createHost({
    protocols: loaded.map(({ protocol }) => protocol),
    settings: Object.fromEntries(loaded.map(({ protocol }) => [protocol.kind, { enabled: false }])),
    version: readVersion(),
  });
  printJson(createOpenApiDocument(host));
  await host.stop(0);
}
