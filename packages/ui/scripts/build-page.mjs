// Builds what browsers get, into `dist/page`: files with hashes in their names, and a page that names them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Builds the page. */
export async function buildPage() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: 'web/main.tsx' },
    outdir: 'dist/page',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    minify: true,
    splitting: true,
    treeShaking: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    legalComments: 'none',
    loader: { '.svg': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
    write: false,
  });
  const folder = `${ROOT}dist/page`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const names = outputFiles.map(({ path }) => path.replaceAll('\\', '/').split('/').at(-1) ?? '');
  /** @param {RegExp} pattern */
  const find = (pattern) => {
    const name = names.find((each) => pattern.test(each));
    if (name === undefined) throw new Error(`the page has no file ${pattern}`);
    return `ui/${name}`;
  };
  writeFileSync(`${folder}/icon.svg`, readFileSync(`${ROOT}web/icon.svg`));
  const html = readFileSync(`${ROOT}web/index.html`, 'utf8')
    .replace('%SCRIPT%', find(/^main-.*[.]js$/))
    .replace('%STYLE%', find(/^main-.*[.]css$/));
  writeFileSync(`${folder}/index.html`, html);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildPage();
