import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { mocksOf, pathsOf, readDefinition, type ServiceDefinition } from '../services/definition.js';
import { findService, listServices } from '../services/find-service.js';
import { CommandError } from './command-error.js';
import { print, printJson, printLines, printText } from './output.js';
import { formatTable } from './table.js';

function describe({ header, scenarios = [] }: ServiceDefinition): Record<string, unknown> {
  const { name, title, summary, path, hosts = [], port, variables = {} } = header;
  return {
    ...{ name, title, summary, path, hosts },
    ...(port === undefined ? {} : { port }),
    variables: Object.keys(variables),
    scenarios: scenarios.map(({ id }) => id),
  };
}

/** `backlot services`: those that come with the app. */
export function list(asJson: boolean): void {
  const definitions = [...listServices().values()].map((file) => readDefinition(file, true));
  if (asJson) return printJson(definitions.map(describe));
  if (definitions.length === 0)
    throw new CommandError(
      'there are no services: the package @backlot/services is not installed; install it with "npm install @backlot/services"',
    );
  printLines(
    formatTable(
      ['service', 'path', 'port', 'what it is'],
      definitions.map(({ header: { name, path, port, summary } }) => [
        name,
        path,
        port === undefined ? '' : String(port),
        summary,
      ]),
    ),
  );
}

/** `backlot services show`: the file of a service, or its scenarios. */
export function show(name: string, onlyScenarios: boolean, asJson: boolean): void {
  const file = findService(name, process.cwd());
  const definition = readDefinition(file);
  const { scenarios = [], header } = definition;
  if (onlyScenarios && asJson)
    return printJson(scenarios.map(({ id, description = '' }) => ({ id, description })));
  if (asJson) {
    const mocks = [...mocksOf(definition)].map(({ kind, mock }) => ({
      protocol: kind,
      id: mock['id'],
      paths: [...pathsOf(mock)].map(({ path }) => path),
    }));
    return printJson({ ...describe(definition), mocks });
  }
  if (!onlyScenarios) return printText(readFileSync(file, 'utf8').trimEnd());
  if (scenarios.length === 0) return print(`${header.name} has no scenarios`);
  printLines(
    formatTable(
      ['scenario', 'what it does'],
      scenarios.map(({ id, description = '' }) => [String(id), String(description)]),
    ),
  );
}

/**
 * `backlot services eject`: writes the folder of a service into the project, to be changed there.
 *
 * @throws CommandError when something of that name is there
 */
export function eject(name: string, folder: string | undefined): void {
  const file = findService(name, process.cwd());
  const { header, folder: from } = readDefinition(file);
  const into = folder ?? join('services', header.name);
  if (existsSync(into))
    throw new CommandError(
      `${into} is there already, and is not overwritten; name another folder by --folder`,
    );
  cpSync(from, into, {
    recursive: true,
    filter: (path) => !/^(?:test|node_modules)(?:[/\\]|$)/.test(relative(from, path)),
  });
  bringShared(from, into);
  const path = `./${into.replaceAll('\\', '/').replace(/^\.\//, '')}/${basename(file)}`;
  print(`wrote ${into}; use it by its path:`);
  print(`  services: ['${path}']`);
  const needed = packagesOf(into);
  if (needed.length > 0)
    print(
      `its functions need ${needed.join(' and ')} in the project: npm install --save-dev ${needed.join(' ')}`,
    );
}

/** A package that a module imports: at its top, or when it is needed. */
const PACKAGE = /(?:^(?:import|export) [^;]*?from |\bimport\()'((?:@[\w.-]+\/)?[a-z][\w.-]*)(?=[/'])/gm;

/** What the modules of a folder import that is neither a file of it nor of Node.js. */
function packagesOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((entry) => entry.endsWith('.mjs'))
    .flatMap((entry) => [...readFileSync(join(folder, entry), 'utf8').matchAll(PACKAGE)])
    .map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => !isBuiltin(name)).sort();
}

/** Where an import of a module leads that is written as a path. */
const IMPORTED = /((?:from |import\()')(\.\.?\/[^']+)(')/g;
/** What is shared stands here, in the folder of an ejected service. */
const SHARED = 'shared';

/** Copies what the modules of a service share with others, which stands beside the services, and imports the copies. */
function bringShared(from: string, into: string): void {
  const top = join(from, '..', '..');
  for (const entry of readdirSync(into, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.mjs')) continue;
    const file = join(into, entry);
    const text = readFileSync(file, 'utf8');
    const named = text.replaceAll(IMPORTED, (whole, before: string, path: string, after: string) => {
      const [folder = '..', ...rest] = relative(top, join(from, dirname(entry), path)).split(/[/\\]/);
      if (folder === '..' || folder === basename(join(from, '..'))) return whole;
      const copy = join(into, SHARED, folder);
      if (!existsSync(copy)) cpSync(join(top, folder), copy, { recursive: true });
      const way = relative(dirname(file), join(copy, ...rest)).replaceAll('\\', '/');
      return `${before}${way.startsWith('.') ? '' : './'}${way}${after}`;
    });
    if (named !== text) writeFileSync(file, named);
  }
}
