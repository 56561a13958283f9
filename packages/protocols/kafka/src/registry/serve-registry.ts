import type { ListenAddress, Service, ValueOf } from '@backlot/core/plugin';
import type { RegistrySchema } from '../schemas.js';
import type { KafkaContext } from '../shape.js';
import { DEFAULT_REGISTRY_PORT, makeRegistry, registryUrl } from './configured-registry.js';
import { createRegistryListener } from './registry-listener.js';
import type { Registry } from './registry.js';

/** A registry with its listener. */
export interface ServedRegistry {
  readonly registry: Registry;
  /** What the status of the kind says of it. */
  readonly describe: () => Readonly<Record<string, unknown>>;
  /** The service of the broker, which starts and stops the registry's listener with it. */
  readonly beside: (broker: Service) => Service;
}

/** Makes the registry of a configuration. */
export async function serveRegistry(
  { config, clock, log }: KafkaContext,
  settings: ValueOf<typeof RegistrySchema>,
): Promise<ServedRegistry> {
  const registry = await makeRegistry(settings);
  const { port = DEFAULT_REGISTRY_PORT } = settings;
  const listener = createRegistryListener({ config: { host: config.host, port }, clock, log }, registry);
  const url = (): string | undefined => listener.place && registryUrl(listener.place);
  return {
    registry,
    describe: () => ({ schema_registry: url() }),
    beside(broker) {
      const start = async (brokerPort: number): Promise<ListenAddress> => {
        const place = await broker.start(brokerPort);
        try {
          await listener.start(port);
        } catch (error) {
          await broker.stop(0);
          throw error;
        }
        return place;
      };
      const stop = async (grace: number): Promise<void> => {
        await Promise.all([broker.stop(grace), listener.stop(grace)]);
      };
      return {
        start,
        stop,
        ...(broker.reset && { reset: () => broker.reset?.() }),
        openConnections: () => broker.openConnections?.() ?? [],
        status: () => broker.status?.() ?? {},
      };
    },
  };
}
