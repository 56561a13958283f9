import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack } from '../packed/pack.mjs';

/**
 * What publint and are-the-types-wrong say about the tarball of a package that has been built.
 *
 * @param {string} dir
 * @returns {Promise<string[]>} one sentence per problem
 */
export async function findPackedProblems(dir) {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-pack-'));
  try {
    await pack(dir, folder);
    const [file] = readdirSync(folder);
    if (file === undefined) throw new Error(`pnpm pack wrote no tarball for ${dir}`);
    const tarball = new Uint8Array(readFileSync(join(folder, file)));
    return [...(await findPublishProblems(tarball)), ...(await findTypeProblems(tarball))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Uint8Array<ArrayBuffer>} tarball */
async function findPublishProblems(tarball) {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, level: 'warning' });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/** @param {Uint8Array<ArrayBuffer>} tarball */
async function findTypeProblems(tarball) {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (analysis.types === false) return ['are-the-types-wrong: the package has no types'];
  const entries = Object.values(analysis.entrypoints);
  const isDual = entries.some(
    ({ resolutions }) =>
      resolutions['node16-cjs'].resolution?.isTypeScript &&
      !resolutions['node16-cjs'].resolution.fileName.endsWith('.d.ts'),
  );
  // Without CommonJS nobody can `require` it.
  return analysis.problems
    .filter((problem) => isDual || !('resolutionKind' in problem) || problem.resolutionKind !== 'node16-cjs')
    .map((problem) => `are-the-types-wrong: ${JSON.stringify(problem)}`);
}
