import { runWorker } from './cli/worker.js';

await runWorker();
