import type { ListenAddress, Service, ValueOf } from '@backlot/core/plugin';
import { activeTls, companionContext, withCompanion } from '@backlot/kit';
import type { RegistrySchema } from '../schemas.js';
import type { KafkaContext } from '../shape.js';
import { DEFAULT_REGISTRY_PORT, makeRegistry, registryUrl } from './configured-registry.js';
import { createRegistryListener } from './registry-listener.js';
import type { Registry } from './registry.js';

/** A registry with its listener. */
export interface ServedRegistry {
  readonly registry: Registry;
  /** The service of the broker, which starts and stops the registry's listener with it. */
  readonly beside: (broker: Service) => Service;
}

/** What the listener is called among those of the kind. */
const LISTENER = 'schema-registry';

/** Makes the registry of a configuration. */
export async function serveRegistry(
  context: KafkaContext,
  settings: ValueOf<typeof RegistrySchema>,
): Promise<ServedRegistry> {
  const registry = await makeRegistry(settings);
  const { port = DEFAULT_REGISTRY_PORT } = settings;
  const listener = createRegistryListener(companionContext(context, LISTENER, port), registry);
  const url = (place: ListenAddress): string => registryUrl(place, activeTls(context.config) !== undefined);
  return {
    registry,
    beside: (broker) =>
      withCompanion(broker, {
        service: listener,
        port,
        name: LISTENER,
        url,
        describe: (place) => ({ schema_registry: place && url(place) }),
      }),
  };
}
