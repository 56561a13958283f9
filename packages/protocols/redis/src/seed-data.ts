import { checkAt, invalid, type Clock, type ValueOf } from '@backlot/core/plugin';
import { readSeed } from './data/seeds.js';
import type { Store } from './data/store.js';
import { bytesOf } from './data/value.js';
import type { ConfigSchema } from './schemas.js';
import { readSettings } from './settings.js';

type Config = ValueOf<typeof ConfigSchema>;

/** Checks `data` of the configuration. @throws BacklotError `invalid` with the place of what is wrong */
export function checkSeeds(config: Config): void {
  const { data } = config;
  if (data === undefined) return;
  const { maxMemory } = readSettings(config);
  checkAt('/data', () => {
    if (config.mode === 'mock')
      throw invalid('mode mock keeps no data: leave mode out, or set it to stateful');
  });
  let bytes = 0;
  for (const [key, given] of Object.entries(data)) {
    const path = `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const seed = checkAt(path, () => readSeed(key, given, 1));
    bytes += bytesOf(seed.key, seed.value);
  }
  checkAt('/data', () => {
    if (bytes > maxMemory) throw invalid(`the data takes ${bytes} bytes; max_memory allows ${maxMemory}`);
  });
}

/** Puts the keys of `data` where clients find them. */
export function putSeeds({ data }: Config, store: Store, clock: Clock): void {
  const now = clock.now();
  for (const [name, given] of Object.entries(data ?? {})) {
    const { key, value, database, ttl } = readSeed(name, given, now);
    store.database(database).put(key, value, ttl === undefined ? 0 : now + ttl);
  }
}
