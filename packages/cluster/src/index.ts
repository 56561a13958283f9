export { joinCluster, type Cluster, type ClusterOptions } from './join.js';
export type { Replica, ReplicaHost } from './replica.js';
