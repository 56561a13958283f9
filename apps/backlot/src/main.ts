import { boundHeapGrowth } from './cli/heap-growth.js';
import { runMain } from './cli/main.js';

boundHeapGrowth();
await runMain(process.argv.slice(2));
