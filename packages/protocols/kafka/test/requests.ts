import { apiVersions } from '../src/wire/apis/api-versions.js';
import { createAcls } from '../src/wire/apis/create-acls.js';
import { createPartitions } from '../src/wire/apis/create-partitions.js';
import { createTopics } from '../src/wire/apis/create-topics.js';
import { deleteAcls } from '../src/wire/apis/delete-acls.js';
import { deleteGroups } from '../src/wire/apis/delete-groups.js';
import { deleteRecords } from '../src/wire/apis/delete-records.js';
import { deleteTopics } from '../src/wire/apis/delete-topics.js';
import { describeAcls } from '../src/wire/apis/describe-acls.js';
import { describeConfigs } from '../src/wire/apis/describe-configs.js';
import { describeGroups } from '../src/wire/apis/describe-groups.js';
import { describeProducers } from '../src/wire/apis/describe-producers.js';
import { describeTransactions } from '../src/wire/apis/describe-transactions.js';
import { fetch } from '../src/wire/apis/fetch.js';
import { findCoordinator } from '../src/wire/apis/find-coordinator.js';
import { initProducerId } from '../src/wire/apis/init-producer-id.js';
import { joinGroup } from '../src/wire/apis/join-group.js';
import { leaveGroup } from '../src/wire/apis/leave-group.js';
import { listOffsets } from '../src/wire/apis/list-offsets.js';
import { listTransactions } from '../src/wire/apis/list-transactions.js';
import { metadata } from '../src/wire/apis/metadata.js';
import { offsetCommit } from '../src/wire/apis/offset-commit.js';
import { offsetFetch } from '../src/wire/apis/offset-fetch.js';
import { offsetDelete } from '../src/wire/apis/offset-delete.js';
import { produce } from '../src/wire/apis/produce.js';
import { saslAuthenticate } from '../src/wire/apis/sasl-authenticate.js';
import { syncGroup } from '../src/wire/apis/sync-group.js';
import { batchOf, encodeRequest } from './support.js';

/** One request of each kind in its newest version; the first that reads asks for everything in the topic `big`. */
export function encodeAll(): readonly Buffer[] {
  const partitionData = [{ index: 0, records: [batchOf(['a', 'b'])] }];
  const name = 'in';
  const rule = { resourceType: 2, operation: 3, permissionType: 3 };
  return [
    encodeRequest(fetch, 11, {
      maxBytes: 10_000_000,
      topics: [{ topic: 'big', partitions: [{ partitionMaxBytes: 10_000_000 }] }],
    }),
    encodeRequest(apiVersions, 4, { clientSoftwareName: 'raw', clientSoftwareVersion: '1' }),
    encodeRequest(metadata, 12, { topics: [{ name }], allowAutoTopicCreation: true }),
    encodeRequest(produce, 11, { acks: -1, topicData: [{ name, partitionData }] }),
    encodeRequest(fetch, 13, {
      maxWaitMs: 10,
      topics: [{ topicId: '00'.repeat(16), partitions: [{ partitionMaxBytes: 1000 }] }],
    }),
    encodeRequest(listOffsets, 7, { topics: [{ name, partitions: [{ timestamp: -1 }] }] }),
    encodeRequest(findCoordinator, 5, { coordinatorKeys: ['g'] }),
    encodeRequest(joinGroup, 9, {
      groupId: 'g',
      sessionTimeoutMs: 100,
      rebalanceTimeoutMs: 100,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.from('m') }],
    }),
    encodeRequest(syncGroup, 5, { groupId: 'g', memberId: 'm', assignments: [{ memberId: 'm' }] }),
    encodeRequest(leaveGroup, 5, { groupId: 'g', members: [{ memberId: 'm' }] }),
    encodeRequest(offsetCommit, 9, {
      groupId: 'g',
      topics: [{ name, partitions: [{ committedOffset: 1 }] }],
    }),
    encodeRequest(offsetFetch, 9, {
      groups: [{ groupId: 'g', topics: [{ name, partitionIndexes: [0] }] }],
    }),
    encodeRequest(initProducerId, 4, {}),
    encodeRequest(describeGroups, 5, { groups: ['g'] }),
    encodeRequest(createTopics, 7, { topics: [{ name: 'made', numPartitions: 2, replicationFactor: 1 }] }),
    encodeRequest(createPartitions, 3, { topics: [{ name: 'made', count: 3 }] }),
    encodeRequest(deleteTopics, 6, { topics: [{ name: 'made' }] }),
    encodeRequest(deleteRecords, 2, { topics: [{ name, partitions: [{ offset: 1 }] }] }),
    encodeRequest(describeConfigs, 4, { resources: [{ resourceType: 2, resourceName: name }] }),
    encodeRequest(saslAuthenticate, 2, { authBytes: Buffer.from('\0a\0b') }),
    encodeRequest(deleteGroups, 2, { groupsNames: ['g'] }),
    encodeRequest(offsetDelete, 0, {
      groupId: 'g',
      topics: [{ name, partitions: [{ partitionIndex: 0 }] }],
    }),
    encodeRequest(createAcls, 3, {
      creations: [{ ...rule, resourceName: name, principal: 'User:nobody', host: '*' }],
    }),
    encodeRequest(describeAcls, 3, { resourceTypeFilter: 1, operation: 1, permissionType: 1 }),
    encodeRequest(deleteAcls, 3, {
      filters: [{ resourceTypeFilter: 1, operation: 1, permissionType: 1 }],
    }),
    encodeRequest(listTransactions, 1, { stateFilters: ['Ongoing'], producerIdFilters: [1] }),
    encodeRequest(describeTransactions, 0, { transactionalIds: ['t'] }),
    encodeRequest(describeProducers, 0, { topics: [{ name, partitionIndexes: [0] }] }),
  ];
}

/** A request of Produce 7 with a name of whatever bytes. */
export function createProduce(name: Buffer, batch: Buffer): Buffer {
  const head = Buffer.from('00000000' + '0000000700000001ffff' + 'ffff0001000003e8' + '00000001', 'hex');
  const length = Buffer.alloc(2);
  length.writeInt16BE(name.length);
  const part = Buffer.alloc(12);
  part.writeInt32BE(1, 0);
  part.writeInt32BE(batch.length, 8);
  const request = Buffer.concat([head, length, name, part, batch]);
  request.writeInt32BE(request.length - 4, 0);
  return request;
}
