import { boundHeapGrowth } from './cli/heap-growth.js';
import { runWorker } from './cli/worker.js';

boundHeapGrowth();
await runWorker();
