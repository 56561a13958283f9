import type { WorkerEnd } from './connect-worker.js';
import type { Workers, WorkersOptions } from './workers.js';

/** See `startWorkers` of `workers.ts`: its code, and what it needs of Node.js, is loaded where there are workers. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  return (await import('./workers.js')).startWorkers(options);
}

/** See `connectWorker` of `connect-worker.ts`. */
export async function connectWorker(): Promise<WorkerEnd> {
  return (await import('./connect-worker.js')).connectWorker();
}
