export { joinCluster, type Cluster, type ClusterOptions } from './join.js';
export { addressForOthers } from './own-address.js';
export type { Replica, ReplicaHost } from './replica.js';
export type { WorkerEnd } from './workers/connect-worker.js';
export { RELOAD } from './workers/reload-route.js';
export { connectWorker, startWorkers } from './workers/start-workers.js';
export type { Workers, WorkersOptions } from './workers/workers.js';
