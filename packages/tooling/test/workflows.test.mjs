import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/lib/workspace.mjs';

const FOLDER = join(ROOT, '.github', 'workflows');

/** @type {string} */
let folder;
/** @type {typeof import('@actions/workflow-parser')} */
let parser;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backlot-workflows-'));
  const outfile = join(folder, 'parser.cjs');
  // It imports JSON as bundlers take it and Node does not.
  buildSync({
    ...{ entryPoints: ['@actions/workflow-parser'], absWorkingDir: import.meta.dirname },
    ...{ bundle: true, platform: 'node', format: 'cjs', logLevel: 'error', outfile },
  });
  parser = createRequire(import.meta.url)(outfile);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name @param {string} content */
async function problemsOf(name, content) {
  const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = parser;
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

const workflows = readdirSync(FOLDER);

it.each(workflows)('%s is read by the parser of GitHub without an error', async (name) => {
  expect(await problemsOf(name, readFileSync(join(FOLDER, name), 'utf8'))).toEqual([]);
});

it('a workflow that is wrong is not', async () => {
  const wrong = 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - runs: y\n';
  expect((await problemsOf('wrong.yml', wrong))[0]).toContain("Unexpected value 'runs'");
});

it.each(workflows)('%s names only scripts that are there', (name) => {
  /** @type {{ scripts: Record<string, string> }} */
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/npm run ([\w:-]+)/g)];
  expect(named.map(([, script]) => script).filter((script) => !(String(script) in scripts))).toEqual([]);
});
