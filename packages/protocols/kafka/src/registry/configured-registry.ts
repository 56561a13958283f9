import {
  checkAt,
  invalid,
  messageOf,
  reachableHost,
  type ListenAddress,
  type ValueOf,
} from '@backlot/core/plugin';
import type { RegistrySchema } from '../schemas.js';
import { parseLevel } from './compatibility.js';
import { GLOBAL } from './registry-store.js';
import { Registry } from './registry.js';
import type { SchemaType } from './schema-format.js';

/** Where the registry listens unless said otherwise. */
export const DEFAULT_REGISTRY_PORT = 8085;

/**
 * Makes the registry of a configuration with its schemas, in the order in which they stand.
 *
 * @throws BacklotError `invalid` when one cannot be registered
 */
export async function makeRegistry(settings: ValueOf<typeof RegistrySchema>): Promise<Registry> {
  const registry = new Registry();
  const level = parseLevel(settings.compatibility);
  if (level !== undefined) registry.store.levels.set(GLOBAL, level);
  for (const [index, given] of (settings.schemas ?? []).entries()) {
    const { subject, type = 'avro', references = [] } = given;
    const schema: unknown = given.schema;
    const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
    try {
      await registry.register(subject, { type: type.toUpperCase() as SchemaType, text, references });
    } catch (error) {
      checkAt(`/schema_registry/schemas/${index}`, () => {
        throw invalid(messageOf(error));
      });
    }
  }
  return registry;
}

/** The url of a registry that listens at an address. */
export function registryUrl({ host, port }: ListenAddress, isEncrypted: boolean): string {
  const name = reachableHost(host);
  return `${isEncrypted ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
