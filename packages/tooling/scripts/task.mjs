import { turbo } from './lib/install.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';

/** Runs a task in every package, or with `--filter=<name>` in some; silent about those that pass. */
const { code, output } = await turbo(
  await prepareEnvironment(),
  '--continue=always',
  ...process.argv.slice(2),
);
process.stdout.write(output);
process.exitCode = code;
