import { runMain } from './cli/main.js';

await runMain(process.argv.slice(2));
