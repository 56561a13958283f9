import { createValidator } from '@backlot/core';
import type { PointedProblem } from '../config/expand-folders.js';
import { pointTo } from '../config/pointer.js';
import { CommandError } from '../cli/command-error.js';
import { readDefinition, type ServiceDefinition } from './definition.js';
import { findService, listServices } from './find-service.js';
import { servicesSchema, type ServiceChanges } from './schema.js';

type Tree = Readonly<Record<string, unknown>>;

/** A service that is to be started. */
export interface WantedService {
  readonly definition: ServiceDefinition;
  readonly changes: ServiceChanges;
  /** Whether it comes with the app. */
  readonly isOwn: boolean;
  /** Where the file names it, as a JSON pointer; absent for one that a flag names. */
  readonly at: string | undefined;
}

/** What flags say of services. */
export interface ServiceFlags {
  /** Further services, from the current folder. */
  readonly names: readonly string[];
  /** Ports by the name of the service. */
  readonly ports?: ReadonlyMap<string, number>;
}

/** The services of a file and of flags, and what is wrong with those of the file. */
export interface WantedServices {
  readonly services: readonly WantedService[];
  readonly problems: readonly PointedProblem[];
}

/**
 * Finds and reads the services that a file and flags name.
 *
 * @param block - what the file has under `services`
 * @param folderOf - gives the folder of the file that has what stands at a pointer
 * @throws CommandError for a flag that names none; ConfigError for a `service.yaml` that is wrong
 */
export function readWanted(
  block: unknown,
  folderOf: (pointer: string) => string,
  flags: ServiceFlags,
): WantedServices {
  const problems: PointedProblem[] = [];
  const services: WantedService[] = [];
  const places = new Map<string, string>();
  const own = listServices();
  const add = (name: string, folder: string, changes: ServiceChanges, at: string | undefined): void => {
    const file = findService(name, folder, own);
    const isOwn = own.get(name) === file;
    const definition = readDefinition(file, isOwn);
    const called = definition.header.name;
    const before = places.get(called);
    if (before === definition.folder) return;
    if (before !== undefined)
      throw new CommandError(
        `service "${called}" is in ${before} and in ${definition.folder}; name one of them`,
      );
    places.set(called, definition.folder);
    const port = flags.ports?.get(called);
    services.push({ definition, changes: port === undefined ? changes : { ...changes, port }, isOwn, at });
  };
  // By the form that it has, so that a field that is wrong is named.
  const schema = servicesSchema().anyOf[Array.isArray(block) ? 0 : 1];
  if (block !== undefined) {
    const wrong = createValidator(schema).check(block);
    problems.push(...wrong.map(({ path, message }) => ({ path: `/services${path}`, message })));
  }
  for (const { name, changes, at } of block === undefined || problems.length > 0 ? [] : entriesOf(block)) {
    try {
      add(name, folderOf(at), changes, at);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      problems.push({ path: at, message: error.message });
    }
  }
  for (const name of flags.names) add(name, process.cwd(), {}, undefined);
  return { services, problems };
}

function entriesOf(block: unknown): { name: string; changes: ServiceChanges; at: string }[] {
  if (Array.isArray(block))
    return block.map((name, index) => ({ name: String(name), changes: {}, at: `/services/${index}` }));
  return Object.entries(block as Tree).map(([name, changes]) => ({
    name,
    changes: changes ?? {},
    at: pointTo('/services', name),
  }));
}
