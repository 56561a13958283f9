import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the repository. */
export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  /** The HTML comment on the line before, without its marks: `file: backlot.yaml`, `config`, `mocks: http`, `not run`, `from: <file>`. */
  readonly marker: string | undefined;
  readonly content: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** A command of a console block with the output that is expected. */
export interface Step {
  readonly command: string;
  readonly expected: string;
  /** Where it stands, from 1. */
  readonly line: number;
}

/** A page of the documentation. */
export interface Page {
  /** From the top of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The commands of its console blocks, in order. */
  readonly steps: readonly Step[];
}

/** The pages whose examples are tested: README.md, those of the examples, and everything below docs. */
export function listPages(): Page[] {
  const examples = readdirSync(join(ROOT, 'examples')).map((name) => join('examples', name, 'README.md'));
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .sort();
  return ['README.md', 'CONTRIBUTING.md', ...examples, ...docs].map(readPage);
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const blocks = readBlocks(text);
  const steps = blocks.filter(({ language }) => language === 'console').flatMap(readSteps);
  return { path: relative('.', path).split(sep).join('/'), text, blocks, steps };
}

function readBlocks(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^(\s*)(`{3,})(\w*)/.exec(lines[index] ?? '');
    if (fence === null) continue;
    const [, indent = '', ticks = '', language = ''] = fence;
    const end = lines.findIndex((line, at) => at > index && line.trim() === ticks);
    const before = lines.slice(0, index).findLast((line) => line.trim() !== '');
    const marker = /^\s*<!-- (.*) -->$/.exec(before ?? '')?.[1];
    const content = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ language, marker, content: content.join('\n'), line: index + 1 });
    index = end;
  }
  return blocks;
}

function readSteps(block: Block): Step[] {
  const steps: { command: string; expected: string[]; line: number }[] = [];
  block.content.split('\n').forEach((text, index) => {
    const line = block.line + 1 + index;
    if (text.startsWith('$ ')) steps.push({ command: text.slice(2), expected: [], line });
    else if (steps.length === 0)
      throw new Error(`line ${line}: a console block begins with "$ " and a command`);
    else steps.at(-1)?.expected.push(text);
  });
  return steps.map(({ command, expected, line }) => ({ command, expected: expected.join('\n'), line }));
}

/**
 * Whether an output is what a page shows. `...` stands for anything on its line, and alone on a line for any lines;
 * blank space at the ends of lines and of the whole does not count.
 */
export function fits(output: string, expected: string): boolean {
  const pattern = tidy(expected)
    .split('\n')
    .map((line) =>
      line.trim() === '...'
        ? '[^]*'
        : line
            .split('...')
            .map((part) => escapeRegExp(part))
            .join('.*'),
    )
    .join('\n')
    // Any lines may be none at all.
    .replaceAll('\n[^]*\n', '\n(?:[^]*\n)?')
    .replace(/\n\[\^\]\*$/, '(?:\n[^]*)?');
  return new RegExp(`^${pattern}$`).test(tidy(output));
}

function tidy(text: string): string {
  return text.replaceAll(/[ \t\r]+$/gm, '').replace(/\n+$/, '');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
