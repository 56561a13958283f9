import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './workspace.mjs';

/**
 * Builds the page from its sources, in less than a second.
 *
 * @returns {Promise<string | undefined>} what went wrong, such as that what it is built with is not installed
 */
export async function buildPage() {
  try {
    const built = await import(pathToFileURL(join(ROOT, 'packages', 'ui', 'scripts', 'build-page.mjs')).href);
    await built.buildPage();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
