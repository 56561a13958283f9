import { handleCreateAcls, handleDeleteAcls, handleDescribeAcls } from './handlers/acls.js';
import { handleAlterConfigs, handleIncrementalAlterConfigs } from './handlers/alter-configs.js';
import { handleDescribeConfigs } from './handlers/configs.js';
import { serve, type Served } from './handlers/call.js';
import {
  handleDescribeProducers,
  handleDescribeTransactions,
  handleListTransactions,
} from './handlers/describe-transactions.js';
import { handleFetch } from './handlers/fetch.js';
import { handleDeleteGroups, handleDescribeGroups, handleListGroups } from './handlers/groups.js';
import {
  handleDeleteRecords,
  handleListOffsets,
  handleOffsetForLeaderEpoch,
} from './handlers/log-offsets.js';
import {
  handleHeartbeat,
  handleJoinGroup,
  handleLeaveGroup,
  handleSyncGroup,
} from './handlers/membership.js';
import { handleDescribeCluster, handleFindCoordinator, handleMetadata } from './handlers/metadata.js';
import { handleOffsetDelete } from './handlers/offset-delete.js';
import { handleOffsetCommit, handleOffsetFetch } from './handlers/offsets.js';
import { handleProduce } from './handlers/produce.js';
import { handleInitProducerId } from './handlers/producers.js';
import { handleSaslAuthenticate, handleSaslHandshake } from './handlers/sasl.js';
import {
  handleAddOffsetsToTxn,
  handleAddPartitionsToTxn,
  handleEndTxn,
  handleTxnOffsetCommit,
} from './handlers/transactions.js';
import { handleCreatePartitions, handleCreateTopics, handleDeleteTopics } from './handlers/topics.js';
import { addOffsetsToTxn } from './wire/apis/add-offsets-to-txn.js';
import { addPartitionsToTxn } from './wire/apis/add-partitions-to-txn.js';
import { alterConfigs } from './wire/apis/alter-configs.js';
import { apiVersions } from './wire/apis/api-versions.js';
import { createAcls } from './wire/apis/create-acls.js';
import { createPartitions } from './wire/apis/create-partitions.js';
import { createTopics } from './wire/apis/create-topics.js';
import { deleteAcls } from './wire/apis/delete-acls.js';
import { deleteGroups } from './wire/apis/delete-groups.js';
import { deleteRecords } from './wire/apis/delete-records.js';
import { deleteTopics } from './wire/apis/delete-topics.js';
import { describeAcls } from './wire/apis/describe-acls.js';
import { describeCluster } from './wire/apis/describe-cluster.js';
import { describeConfigs } from './wire/apis/describe-configs.js';
import { describeGroups } from './wire/apis/describe-groups.js';
import { describeProducers } from './wire/apis/describe-producers.js';
import { describeTransactions } from './wire/apis/describe-transactions.js';
import { endTxn } from './wire/apis/end-txn.js';
import { fetch } from './wire/apis/fetch.js';
import { findCoordinator } from './wire/apis/find-coordinator.js';
import { heartbeat } from './wire/apis/heartbeat.js';
import { incrementalAlterConfigs } from './wire/apis/incremental-alter-configs.js';
import { initProducerId } from './wire/apis/init-producer-id.js';
import { joinGroup } from './wire/apis/join-group.js';
import { leaveGroup } from './wire/apis/leave-group.js';
import { listGroups } from './wire/apis/list-groups.js';
import { listOffsets } from './wire/apis/list-offsets.js';
import { listTransactions } from './wire/apis/list-transactions.js';
import { metadata } from './wire/apis/metadata.js';
import { offsetCommit } from './wire/apis/offset-commit.js';
import { offsetDelete } from './wire/apis/offset-delete.js';
import { offsetFetch } from './wire/apis/offset-fetch.js';
import { offsetForLeaderEpoch } from './wire/apis/offset-for-leader-epoch.js';
import { produce } from './wire/apis/produce.js';
import { saslAuthenticate } from './wire/apis/sasl-authenticate.js';
import { saslHandshake } from './wire/apis/sasl-handshake.js';
import { syncGroup } from './wire/apis/sync-group.js';
import { txnOffsetCommit } from './wire/apis/txn-offset-commit.js';
import { ERROR } from './wire/errors.js';

const SERVED: readonly Served[] = [
  serve(produce, handleProduce),
  serve(fetch, handleFetch),
  serve(listOffsets, handleListOffsets),
  serve(metadata, handleMetadata),
  serve(offsetCommit, handleOffsetCommit),
  serve(offsetFetch, handleOffsetFetch),
  serve(findCoordinator, handleFindCoordinator),
  serve(joinGroup, handleJoinGroup),
  serve(heartbeat, handleHeartbeat),
  serve(leaveGroup, handleLeaveGroup),
  serve(syncGroup, handleSyncGroup),
  serve(describeGroups, handleDescribeGroups),
  serve(listGroups, handleListGroups),
  serve(saslHandshake, handleSaslHandshake),
  serve(apiVersions, () => ({ apiKeys: ADVERTISED })),
  serve(createTopics, handleCreateTopics),
  serve(deleteTopics, handleDeleteTopics),
  serve(deleteRecords, handleDeleteRecords),
  serve(initProducerId, handleInitProducerId),
  serve(offsetForLeaderEpoch, handleOffsetForLeaderEpoch),
  serve(addPartitionsToTxn, handleAddPartitionsToTxn),
  serve(addOffsetsToTxn, handleAddOffsetsToTxn),
  serve(endTxn, handleEndTxn),
  serve(txnOffsetCommit, handleTxnOffsetCommit),
  serve(describeAcls, handleDescribeAcls),
  serve(createAcls, handleCreateAcls),
  serve(deleteAcls, handleDeleteAcls),
  serve(describeConfigs, handleDescribeConfigs),
  serve(alterConfigs, handleAlterConfigs),
  serve(saslAuthenticate, handleSaslAuthenticate),
  serve(createPartitions, handleCreatePartitions),
  serve(deleteGroups, handleDeleteGroups),
  serve(incrementalAlterConfigs, handleIncrementalAlterConfigs),
  serve(offsetDelete, handleOffsetDelete),
  serve(describeCluster, handleDescribeCluster),
  serve(describeProducers, handleDescribeProducers),
  serve(describeTransactions, handleDescribeTransactions),
  serve(listTransactions, handleListTransactions),
];

const BY_KEY = new Map(SERVED.map((served) => [served.api.key, served]));

/** What ApiVersions tells. */
const ADVERTISED = SERVED.map(({ api: { key, min, max } }) => ({
  apiKey: key,
  minVersion: min,
  maxVersion: max,
}));

/** To ApiVersions of a version that is too new, told in version 0, which every client can read. */
export const TOO_NEW = {
  errorCode: ERROR.UNSUPPORTED_VERSION,
  apiKeys: ADVERTISED.filter(({ apiKey }) => apiKey === apiVersions.key),
};

/** Finds what answers an API. */
export function findApi(key: number): Served | undefined {
  return BY_KEY.get(key);
}
