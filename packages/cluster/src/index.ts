export { joinCluster, type Cluster, type ClusterOptions } from './join.js';
export { addressForOthers } from './own-address.js';
export type { Replica, ReplicaHost } from './replica.js';
