import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
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
  const definitions = [...listServices().values()].map(readDefinition);
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
  for (const entry of readdirSync(into, { recursive: true, encoding: 'utf8' })) {
    if (entry.endsWith('.mjs')) nameShared(join(into, entry));
  }
  const path = `./${into.replaceAll('\\', '/').replace(/^\.\//, '')}/${basename(file)}`;
  print(`wrote ${into}; use it by its path:`);
  print(`  services: ['${path}']`);
}

/** What services share stays in their package, and is imported from there. */
function nameShared(file: string): void {
  const text = readFileSync(file, 'utf8');
  const named = text.replaceAll(
    /((?:from |import\()')(?:\.\.\/)+((?:aws|identity|llm|waiting)\/)/g,
    '$1@backlot/services/$2',
  );
  if (named !== text) writeFileSync(file, named);
}
