import { execFile, spawnSync } from 'node:child_process';
import { it } from '@jest/globals';

/** `it` for tests that need a system tool: skipped, visibly, where it is not installed. */
export function withTool(tool: string): (name: string, run: () => Promise<void>) => void {
  const isThere = spawnSync('which', [tool]).status === 0 || process.env['BACKLOT_REQUIRE_TOOLS'] === '1';
  return (name, run) => (isThere ? it(name, run) : it.skip(`${name} (${tool} not installed)`, run));
}

/** Runs a tool and gives what it wrote. */
export function runTool(
  tool: string,
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(tool, args, { encoding: 'utf8' }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, out, err });
    });
  });
}
