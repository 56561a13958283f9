import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack, packAll } from '../packed/pack.mjs';

/**
 * What publint and are-the-types-wrong say about the tarball of a package that has been built.
 *
 * @param {string} dir
 * @returns {Promise<string[]>} one sentence per problem
 */
export function findPackedProblems(dir) {
  return inFolder(async (folder) => {
    await pack(dir, folder);
    const [file] = readdirSync(folder);
    if (file === undefined) throw new Error(`pnpm pack wrote no tarball for ${dir}`);
    return findTarballProblems(join(folder, file));
  });
}

/**
 * The same for all packages that are published, which must have been built: one process packs them, and one looks at
 * them, because to start both for each package takes three times as long.
 *
 * @returns {Promise<string[]>} one sentence per problem, behind the name of the package
 */
export function findAllPackedProblems() {
  return inFolder(async (folder) => {
    const problems = [];
    for (const { file, manifest } of await packAll(folder)) {
      if (manifest.scripts?.['check'] === undefined) continue;
      for (const problem of await findTarballProblems(file)) problems.push(`${manifest.name}: ${problem}`);
    }
    return problems;
  });
}

/**
 * @template T
 * @param {(folder: string) => Promise<T>} use
 */
async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-pack-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
async function findTarballProblems(file) {
  const tarball = new Uint8Array(readFileSync(file));
  const contents = createPackageFromTarballData(tarball);
  return [
    ...(await findPublishProblems(tarball)),
    ...(await findTypeProblems(contents)),
    ...findUnreadable(contents),
  ];
}

/**
 * CommonJS that Node.js cannot read. It is made of what was bundled as a module, by rules that do not know `yield` on the
 * right of `??` or `?.`: they put it into a function of its own, where it is a reserved word.
 *
 * @param {import('@arethetypeswrong/core').Package} contents
 */
function findUnreadable(contents) {
  return contents
    .listFiles()
    .filter((path) => path.endsWith('.cjs'))
    .flatMap((path) => {
      try {
        compileFunction(
          contents.readFile(path),
          ['exports', 'require', 'module', '__filename', '__dirname'],
          {
            filename: path,
          },
        );
        return [];
      } catch (error) {
        const [place, line] = String(error instanceof Error ? error.stack : error).split(/\r?\n/);
        return [`${place} cannot be required: ${String(error)}: ${line?.trim()}`];
      }
    });
}

/** @param {Uint8Array<ArrayBuffer>} tarball */
async function findPublishProblems(tarball) {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, level: 'warning' });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/** @param {import('@arethetypeswrong/core').Package} contents */
async function findTypeProblems(contents) {
  const analysis = await checkPackage(contents);
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
