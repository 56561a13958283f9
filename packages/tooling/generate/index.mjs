import { generateAppManifest } from './app-manifest.mjs';
import { generateInstalledProtocols } from './installed-protocols.mjs';

/**
 * A generator makes committed files out of what the packages declare. It runs after the build and may import what was
 * built.
 *
 * @typedef {(root: string) => Record<string, string> | Promise<Record<string, string>>} Generator
 * the content of each file by its path from the root
 */

/** @type {readonly Generator[]} */
export const GENERATORS = [generateAppManifest, generateInstalledProtocols];
