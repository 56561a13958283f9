import { existsSync } from 'node:fs';
import { invalid, messageOf, type ValueOf } from '@backlot/core/plugin';
import type { MethodIndex } from './mock-index.js';
import { loadFiles } from './schema/load-files.js';
import type { ConfigSchema } from './schemas.js';

type Settings = ValueOf<typeof ConfigSchema>;

/** The `.proto` files of services that are not there: such a path only informs, as it does in Mockly. */
export function missingServiceFiles({ services = [] }: Settings): readonly string[] {
  return services.flatMap(({ proto }) => (proto === undefined || existsSync(proto) ? [] : [proto]));
}

/**
 * Reads the schemas that the configuration names; the file of a service may be missing.
 *
 * @throws BacklotError `invalid` with every problem
 */
export function loadConfig(config: Settings, { registry }: MethodIndex): void {
  const { services = [], protos = [], descriptor_sets: sets = [] } = config;
  const missing = missingServiceFiles(config);
  const { files, problems } = loadFiles(
    [
      ...services.flatMap(({ proto }, index) =>
        proto === undefined || missing.includes(proto)
          ? []
          : [{ path: proto, at: `/services/${index}/proto` }],
      ),
      ...protos.map((path, index) => ({ path, at: `/protos/${index}` })),
    ],
    sets.map((path, index) => ({ path, at: `/descriptor_sets/${index}` })),
    config,
  );
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  if (files.length === 0) return;
  try {
    registry.configure(files);
  } catch (thrown) {
    const lists = ['services', 'protos', 'descriptor_sets', 'sources', 'descriptors'] as const;
    const path = `/${lists.find((name) => (config[name]?.length ?? 0) > 0) ?? 'protos'}`;
    throw invalid(messageOf(thrown), [{ path, message: messageOf(thrown) }]);
  }
}
