import { defineApi } from '../api.js';
import { array, int16, int32, int8, nullableString, string } from '../fields.js';
import { ACL_FILTER } from './describe-acls.js';

/** DeleteAcls: drops the rules that filters choose (Kafka protocol guide: DeleteAcls, key 31). */
export const deleteAcls = defineApi({
  key: 31,
  name: 'DeleteAcls',
  min: 0,
  max: 3,
  flexible: 2,
  request: { filters: array(ACL_FILTER) },
  response: {
    throttleTimeMs: int32(),
    filterResults: array({
      errorCode: int16(),
      errorMessage: nullableString(),
      matchingAcls: array({
        errorCode: int16(),
        errorMessage: nullableString(),
        resourceType: int8(),
        resourceName: string(),
        patternType: int8({ since: 1, fallback: 3 }),
        principal: string(),
        host: string(),
        operation: int8(),
        permissionType: int8(),
      }),
    }),
  },
});
