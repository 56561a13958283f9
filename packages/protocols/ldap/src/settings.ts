import { invalid, messageOf, type Problem, type ValueOf } from '@backlot/core/plugin';
import { Directory } from './data/directory.js';
import { parseDn, type Dn } from './data/dn.js';
import type { Entry } from './data/entry.js';
import { makeEntry, type Stamps } from './data/make-entry.js';
import { passwordsOf, whyUnusable } from './data/password.js';
import { readValues } from './data/read-values.js';
import type { ConfigSchema } from './schemas.js';

type Config = ValueOf<typeof ConfigSchema>;

/** The name that the server is for. */
export function suffixOf({ base_dn: base }: Config): Dn | undefined {
  return base === undefined ? undefined : parseDn(base);
}

/**
 * The entries of the configuration.
 *
 * @throws BacklotError `invalid` with the places of all that is wrong
 */
export function makeConfiguredEntries(config: Config, stamps: Stamps): Entry[] {
  const directory = new Directory(suffixOf(config));
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  config.entries?.forEach(({ dn, attributes = {} }, index) => {
    try {
      const given = Object.entries(attributes).map(([name, values]) => ({
        name,
        values: readValues(name, values),
      }));
      const entry = makeEntry(parseDn(dn), given, stamps);
      const unusable = passwordsOf(entry)
        ?.values.map(whyUnusable)
        .find((why) => why !== undefined);
      if (unusable !== undefined) throw invalid(unusable);
      directory.checkFree(entry.dn);
      directory.put(entry);
      entries.push(entry);
    } catch (thrown) {
      problems.push({ path: `/entries/${index}`, message: messageOf(thrown) });
    }
  });
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  return entries;
}
