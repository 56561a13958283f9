import { INSTALLED_PROTOCOLS } from '../installed.generated.js';

/** The kinds whose packages the app depends on, whether they are installed or were left out. */
export const KNOWN_KINDS: readonly string[] = INSTALLED_PROTOCOLS.map(({ kind }) => kind);

/**
 * Why a kind that was asked for is not there, and what would help.
 *
 * @param installed - the kinds that are there
 */
export function describeMissing(kind: string, installed: readonly string[]): string {
  const known = INSTALLED_PROTOCOLS.find((entry) => entry.kind === kind);
  return known === undefined
    ? `protocol "${kind}" is not installed; installed are ${installed.join(', ') || 'none'}`
    : `protocol "${kind}" is not installed; install it with "npm install ${known.package}"`;
}

/**
 * Imports a package that somebody may have left out.
 *
 * @returns `undefined` when it is not installed
 * @throws what goes wrong in a package that is there
 */
export async function importOptional<Exported>(
  name: string,
  load: () => Promise<Exported>,
): Promise<Exported | undefined> {
  try {
    return await load();
  } catch (error) {
    if (!isInstalled(name)) return undefined;
    throw error;
  }
}

/** Whether a package that somebody may have left out is there. */
export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND';
  }
}
