import { readFileSync } from 'node:fs';
import { describe, it } from '@jest/globals';

/** A name of a library that it does not document, and that may be gone in its next version. */
export interface PrivateName {
  /** As the library writes it, for instance `Server.prototype._receive`. */
  readonly name: string;
  /** What it does for the package, and in which file. */
  readonly use: string;
  /** What `typeof` says of it; `function` when absent. */
  readonly type?: 'boolean' | 'function' | 'number' | 'object' | 'string';
  /** Looks it up. What this throws means that it is gone, and so does `undefined` or `null`. */
  readonly find: () => unknown;
}

/** The library of a package that names are looked up in. */
export interface LibraryOfPackage {
  /** As it is imported. */
  readonly name: string;
  /** `import.meta.url` of a test in the folder `test` of the package. */
  readonly testUrl: string;
}

/**
 * Tests that a library has every private name that its package uses, and that the version that is installed is the one that
 * `package.json` pins. Behaviour is not looked at here: that is what the other tests of the package are for.
 */
export function describePrivateNames(library: LibraryOfPackage, names: readonly PrivateName[]): void {
  const { name, testUrl } = library;
  const version = readJson(new URL(`../node_modules/${name}/package.json`, testUrl)).version;
  describe(`${name} ${version} has the private names we use:`, () => {
    it('of the version that package.json pins', () => {
      const pinned = readJson(new URL('../package.json', testUrl)).dependencies?.[name];
      if (pinned !== version)
        throw new Error(
          `package.json asks for ${name} ${pinned}, and ${version} is installed; pin one version`,
        );
    });
    for (const each of names) {
      it(`${each.name}, which ${each.use}`, async () => {
        const problem = await problemOf(each);
        if (problem !== undefined) throw new Error(`${name} ${version} ${problem}`);
      });
    }
  });
}

/** What is wrong with a name, as it follows the name of the library; `undefined` when it is there. */
export async function problemOf({
  name,
  use,
  type = 'function',
  find,
}: PrivateName): Promise<string | undefined> {
  let found: unknown;
  let why = '';
  try {
    found = await find();
  } catch (thrown) {
    why = ` (${thrown instanceof Error ? thrown.message : String(thrown)})`;
  }
  const advice = `It ${use}; look up in the library what does that now.`;
  if (found === undefined || found === null) return `has no ${name}${why}. ${advice}`;
  return typeof found === type
    ? undefined
    : `has a ${name} that is a ${typeof found}, not a ${type}. ${advice}`;
}

interface PackageJson {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readJson(file: URL): PackageJson {
  return JSON.parse(readFileSync(file, 'utf8')) as PackageJson;
}
