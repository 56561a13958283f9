import { installAndBuild } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';

stopWithNpm();
await installAndBuild(await prepareEnvironment());
