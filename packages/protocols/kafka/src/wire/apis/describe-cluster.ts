import { defineApi } from '../api.js';
import { array, bool, int16, int32, int8, nullableString, string } from '../fields.js';

/** DescribeCluster: the one broker (Kafka protocol guide: DescribeCluster, key 60; KIP-700). */
export const describeCluster = defineApi({
  key: 60,
  name: 'DescribeCluster',
  min: 0,
  max: 1,
  flexible: 0,
  request: { includeClusterAuthorizedOperations: bool(), endpointType: int8({ since: 1, fallback: 1 }) },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullableString(),
    endpointType: int8({ since: 1, fallback: 1 }),
    clusterId: string(),
    controllerId: int32({ fallback: -1 }),
    brokers: array({ brokerId: int32(), host: string(), port: int32(), rack: nullableString() }),
    clusterAuthorizedOperations: int32({ fallback: -2147483648 }),
  },
});
