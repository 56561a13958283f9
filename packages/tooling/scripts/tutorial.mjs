import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { run } from './lib/run.mjs';
import { ROOT } from './lib/workspace.mjs';

/**
 * Does the tutorial as somebody new does it, and prints how long each command took: everything is packed as it would be published,
 * installed in an empty folder, and each step of `docs/guides/tutorial.md` is done with a home in which nothing was ever run.
 */
const folder = mkdtempSync(join(tmpdir(), 'backlot-tutorial-'));
const times = join(folder, 'times.txt');
try {
  const env = { ...(await prepareEnvironment()), BACKLOT_TUTORIAL_TIMES: times };
  const begun = performance.now();
  const { code, output } = await run('pnpm', ['smoke', 'readme', '-t', 'tutorial'], {
    cwd: join(ROOT, 'apps/backlot'),
    env,
    capture: true,
  });
  if (code === 0) {
    process.stdout.write(readFileSync(times, 'utf8'));
    const whole = (performance.now() - begun) / 1000;
    console.log(`${whole.toFixed(1).padStart(6)} s  all of it, packing and installing included`);
  } else {
    console.error(output);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
