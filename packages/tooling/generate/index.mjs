import { generateAppManifest } from './app-manifest.mjs';
import { generateCommandLine } from './docs/command-line.mjs';
import { generateConfiguration } from './docs/configuration.mjs';
import { generateEnvironment } from './docs/environment.mjs';
import { generateManagementApi } from './docs/management-api.mjs';
import { generateProtocolLists } from './docs/protocol-lists.mjs';
import { generateProtocolPages } from './docs/protocol-pages.mjs';
import { generateServicePages } from './docs/service-pages.mjs';
import { generateReferenceJson } from './docs/reference-json.mjs';
import { generateInstalledProtocols } from './installed-protocols.mjs';
import { generateManifests } from './manifests.mjs';
import { generateServiceVariables } from './service-variables.mjs';
import { generateCoreTypes } from './types/core-types.mjs';
import { generateProtocolTypes } from './types/protocol-types.mjs';

/**
 * A generator makes committed files out of what the packages declare. It runs after the build and may import what was
 * built.
 *
 * @typedef {(root: string) => Record<string, string> | Promise<Record<string, string>>} Generator
 * the content of each file by its path from the root
 */

/**
 * Those that read sources only and need no build.
 *
 * @type {readonly Generator[]}
 */
export const SOURCE_GENERATORS = [generateAppManifest, generateInstalledProtocols, generateServiceVariables];

/** @type {readonly Generator[]} */
export const GENERATORS = [
  ...SOURCE_GENERATORS,
  generateCoreTypes,
  generateProtocolTypes,
  generateManifests,
  generateReferenceJson,
  generateManagementApi,
  generateConfiguration,
  generateCommandLine,
  generateEnvironment,
  generateProtocolPages,
  generateProtocolLists,
  generateServicePages,
];
