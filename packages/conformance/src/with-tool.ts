import { execFile, spawnSync } from 'node:child_process';
import { it } from '@jest/globals';

/** What a command-line program has left. */
export interface ToolResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * A test that needs a program of the system: skipped by name where it is not installed, and a failure there when
 * `BACKLOT_REQUIRE_TOOLS` is 1, which CI sets.
 */
export function itWithTool(tool: string, name: string, run: () => Promise<void>): void {
  if (spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0) it(name, run);
  else if (process.env['BACKLOT_REQUIRE_TOOLS'] === '1') {
    it(name, () => Promise.reject(new Error(`${tool} is not installed`)));
  } else it.skip(`${name} (skipped: ${tool} not installed)`, run);
}

/** Runs a program to its end. */
export function runTool(tool: string, args: readonly string[]): Promise<ToolResult> {
  return new Promise((resolve) => {
    execFile(tool, args, { encoding: 'utf8' }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, out, err });
    });
  });
}

/** Resolves once the condition holds; asks again after each turn of the event loop, for ten seconds. */
export async function eventually(condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`did not come true within 10 s: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
