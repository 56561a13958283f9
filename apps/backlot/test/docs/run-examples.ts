import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Block, Page } from './page.js';

/** Below the app, so that its packages are found; in node_modules, so that nothing else looks there. */
const APP_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A TypeScript example that is a whole program. */
export interface Example {
  readonly name: string;
  readonly content: string;
}

/** The TypeScript blocks that import something, unless they are marked `<!-- not run -->` or stand in a file. */
export function listExamples(pages: readonly Page[]): Example[] {
  return pages.flatMap(({ path, blocks }) =>
    blocks.filter(isExample).map(({ content, line }) => ({ name: `${path}:${line}`, content })),
  );
}

function isExample({ language, content, marker }: Block): boolean {
  return (
    language === 'ts' && /^import /m.test(content) && marker !== 'not run' && fileOf(marker) === undefined
  );
}

/** The file of which a block is a part: `<!-- from: examples/... -->`. */
export function fileOf(marker = ''): string | undefined {
  return /^from: (.+)$/.exec(marker)?.[1];
}

/** Compiles examples against the built packages, as a user would, and runs them. */
export class ExampleRunner {
  readonly #folder: string;
  readonly #examples: readonly Example[];
  #compiled: Promise<string> | undefined;

  constructor(examples: readonly Example[]) {
    mkdirSync(APP_MODULES, { recursive: true });
    this.#folder = mkdtempSync(join(APP_MODULES, '.docs-'));
    this.#examples = examples;
  }

  /** @returns what the compiler says, with the place in the page; nothing when all is well. It is asked once. */
  compile(): Promise<string> {
    return (this.#compiled ??= this.#compile());
  }

  async #compile(): Promise<string> {
    const files = this.#examples.map((_, index) => `example-${index}.ts`);
    this.#examples.forEach(({ content }, index) => this.#write(`example-${index}.ts`, content));
    this.#write('package.json', JSON.stringify({ type: 'module' }));
    const compilerOptions = { noEmit: false, outDir: 'out', customConditions: [], isolatedModules: true };
    this.#write(
      'tsconfig.json',
      JSON.stringify({ extends: '../../../../tsconfig.base.json', compilerOptions, files }),
    );
    const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    const { output } = await run([compiler, '-p', this.#folder, '--pretty', 'false'], this.#folder);
    return output.replaceAll(
      /^.*example-(\d+)\.ts/gm,
      (_, index: string) => this.#examples[Number(index)]?.name ?? '',
    );
  }

  /** Runs one of the examples, compiled before. */
  async run(name: string): Promise<{ readonly code: number | null; readonly output: string }> {
    await this.compile();
    const index = this.#examples.findIndex((example) => example.name === name);
    return run([join(this.#folder, 'out', `example-${index}.js`)], this.#folder);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(name: string, content: string): void {
    writeFileSync(join(this.#folder, name), content);
  }
}

function run(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
