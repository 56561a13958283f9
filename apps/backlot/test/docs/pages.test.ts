import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { makeFolder, runCommand, type Ended } from '../command.js';
import { findBrokenLinks } from './check-links.js';
import { fits, listPages, ROOT, type Block, type Page } from './page.js';
import { ExampleRunner, fileOf, listExamples } from './run-examples.js';
import { placeExample, runPage, writeFiles } from './run-page.js';

const PAGES = listPages();
/** The command-line clients that CI installs, a line each: the command and its package. */
const TOOLS = readFileSync(join(ROOT, 'packages/tooling/debian-tools.txt'), 'utf8')
  .split('\n')
  .flatMap((line) => /^\w[\w-]*/.exec(line) ?? []);

/** Tools that the commands of a page call and that are not installed. */
function missingTools({ steps }: Page): string[] {
  return TOOLS.filter((tool) =>
    steps.some(({ command }) => new RegExp(`\\b${tool}\\b`).test(command)),
  ).filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
}

describe('commands', () => {
  for (const page of PAGES.filter(({ steps }) => steps.length > 0)) {
    const missing = missingTools(page);
    const name = `of ${page.path} print what it says`;
    if (missing.length > 0 && process.env['BACKLOT_REQUIRE_TOOLS'] !== '1') {
      it.skip(`${name} (${missing.join(', ')} not installed)`, () => undefined);
      continue;
    }
    it(
      name,
      async () => {
        expect(missing).toEqual([]);
        expect((await runPage(page)).join('\n\n')).toBe('');
      },
      60_000,
    );
  }

  it('are compared line by line, with ... for anything', () => {
    expect(fits('{"id":"7","n":1}\n', '{"id":...,"n":1}')).toBe(true);
    expect(fits('{"id":"7","n":2}', '{"id":...,"n":1}')).toBe(false);
    expect(fits('a\nb\nc  \n\n', 'a\n...\nc')).toBe(true);
    expect(fits('a\nc', 'a\n...\nc')).toBe(true);
    expect(fits('a\nb', 'a')).toBe(false);
    expect(fits('a\nb', 'a...')).toBe(false);
    expect(fits('a\nb', 'a\n...')).toBe(true);
  });
});

describe('configurations and mocks', () => {
  const blocks = PAGES.flatMap((page) =>
    page.blocks
      .filter(({ language }) => language === 'yaml' || language === 'json')
      .map((block) => ({ name: `${page.path}:${block.line}`, block, page })),
  );

  /** A file of its own for each, all checked by one command, which takes a second of processor each time. */
  const folders: ReturnType<typeof makeFolder>[] = [];
  let checked: Ended;
  beforeAll(async () => {
    folders.push(...blocks.map(makeFolder));
    const files = blocks.map(({ block, page }, index) => writeWhole(block, page, folders[index]?.path ?? ''));
    checked = await runCommand(['validate', ...files]);
  }, 60_000);
  afterAll(() => {
    for (const folder of folders) folder.remove();
  });

  it.each(blocks.map(({ name, block }, index) => ({ name, block, index })))(
    'of $name are valid',
    ({ block: { marker = '' }, index }) => {
      expect(['file', 'config', 'mocks', 'scenarios']).toContain(marker.split(': ')[0]);
      const file = `${folders[index]?.path ?? ''}/backlot.yaml`;
      const linesOf = (text: string): string[] =>
        text.split('\n').filter((line) => line.startsWith(`${file}:`));
      expect(linesOf(checked.stderr)).toEqual([]);
      // What the command says of itself is all there is when it has not come as far as this file.
      expect(linesOf(checked.stdout).at(-1) ?? checked.stderr).toMatch(/: valid\b/);
    },
  );

  it('are all that is said', () => {
    expect(checked).toMatchObject({ code: 0, stderr: '' });
  });

  /** Writes what a block is or is a part of, beside the other files of its page, which it may name. */
  function writeWhole({ content, marker = '' }: Block, page: Page, folder: string): string {
    const [form, kind = ''] = marker.split(': ');
    const value: unknown = parse(content);
    const wholes: Record<string, unknown> = {
      mocks: { protocols: { [kind]: { mocks: value } } },
      scenarios: { scenarios: value },
    };
    writeFiles(page, folder);
    placeExample(page, folder);
    const file = join(folder, 'backlot.yaml');
    writeFileSync(
      file,
      form === 'file' || form === 'config' ? content : stringify(wholes[form ?? ''] ?? value),
    );
    return file;
  }
});

describe('programs', () => {
  const examples = listExamples(PAGES);
  let runner: ExampleRunner;
  beforeAll(() => {
    runner = new ExampleRunner(examples);
  });
  afterAll(() => runner.remove());

  it('are valid TypeScript', async () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(await runner.compile()).toBe('');
  }, 60_000);

  it.each(examples)(
    'of $name run to their end',
    async ({ name }) => {
      expect(await runner.run(name)).toMatchObject({ code: 0 });
    },
    40_000,
  );
});

describe('parts of files', () => {
  const parts = PAGES.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ marker, content, line }) => {
      const file = fileOf(marker);
      return file === undefined ? [] : [{ name: `${path}:${line}`, file, content }];
    }),
  );

  it.each(parts)('of $name stand in $file', ({ file, content }) => {
    // A page shows the lines of a function without their indentation.
    const flatten = (text: string): string => text.replaceAll(/^ +/gm, '');
    expect(flatten(readFileSync(join(ROOT, file), 'utf8'))).toContain(flatten(content));
  });
});

describe('links', () => {
  it('lead somewhere', () => {
    expect(PAGES.flatMap(findBrokenLinks)).toEqual([]);
  });
});
