import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { version as swcVersion } from '@swc/core';
import swc from '@swc/jest';

const { version: jestVersion } = createRequire(import.meta.url)('@swc/jest/package.json');

/**
 * swc, whose results all packages share: what it makes of a file depends on nothing of the package that runs its tests, and the
 * sources of core and kit are read by the tests of every other.
 *
 * @type {Pick<typeof swc, 'createTransformer'>}
 */
const transformer = {
  createTransformer(settings) {
    const transformer = swc.createTransformer(settings);
    const common = JSON.stringify([swcVersion, jestVersion, process.versions.node, settings]);
    return {
      ...transformer,
      // The name stands in the source map.
      getCacheKey(text, file, { supportsStaticESM }) {
        const hash = createHash('sha1');
        for (const part of [common, String(supportsStaticESM), file, text]) hash.update(part).update('\0');
        return hash.digest('hex');
      },
    };
  },
};
export default transformer;
