import { createRequire } from 'node:module';

/** What resolves names of libraries, from here; the build gives the CommonJS form an `import.meta.url` of its own. */
const load = createRequire(import.meta.url);

/**
 * Gives what loads a library when it is first asked for, and then keeps it: a program that never uses it never pays for
 * it. It is loaded at once, since templates are compiled and rendered without waiting.
 *
 * @typeParam Library - the parts of the library that are used
 */
export function onFirstUse<Library>(name: string): () => Library {
  let loaded: Library | undefined;
  return () => (loaded ??= load(name) as Library);
}

/**
 * The same for a library that need not be installed.
 *
 * @returns what gives `undefined` when the library is not there
 */
export function ifInstalled<Library>(name: string): () => Library | undefined {
  let tried: { readonly library: Library | undefined } | undefined;
  return () => (tried ??= { library: attempt<Library>(name) }).library;
}

function attempt<Library>(name: string): Library | undefined {
  try {
    return load(name) as Library;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}
