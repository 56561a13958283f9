import { defineApi } from '../api.js';
import { array, int16, int32, int8, nullableString, string } from '../fields.js';

/** Chooses rules (KIP-140, for patterns KIP-290). */
export const ACL_FILTER = {
  resourceTypeFilter: int8(),
  resourceNameFilter: nullableString(),
  patternTypeFilter: int8({ since: 1, fallback: 3 }),
  principalFilter: nullableString(),
  hostFilter: nullableString(),
  operation: int8(),
  permissionType: int8(),
};

/** DescribeAcls: the access control lists (Kafka protocol guide: DescribeAcls, key 29). */
export const describeAcls = defineApi({
  key: 29,
  name: 'DescribeAcls',
  min: 0,
  max: 3,
  flexible: 2,
  request: ACL_FILTER,
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullableString(),
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      patternType: int8({ since: 1, fallback: 3 }),
      acls: array({ principal: string(), host: string(), operation: int8(), permissionType: int8() }),
    }),
  },
});
