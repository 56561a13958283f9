import { CLUSTER_NAME, problemOfAcl, problemOfFilter, type Acl } from '../broker/acl.js';
import { MAX_ACLS } from '../broker/acls.js';
import type { createAcls } from '../wire/apis/create-acls.js';
import type { deleteAcls } from '../wire/apis/delete-acls.js';
import type { describeAcls } from '../wire/apis/describe-acls.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';
import { mapInSteps } from './in-steps.js';

export const handleDescribeAcls: Handler<typeof describeAcls> = (filter, call, { acls }) => {
  if (!call.may('describe', 'cluster', CLUSTER_NAME))
    return { errorCode: ERROR.CLUSTER_AUTHORIZATION_FAILED };
  const problem = problemOfFilter(filter);
  if (problem !== undefined) return { errorCode: ERROR.INVALID_REQUEST, errorMessage: problem };
  const byResource = new Map<string, Acl[]>();
  for (const acl of acls.list(filter)) {
    const key = `${acl.resourceType}/${acl.patternType}/${acl.resourceName}`;
    const there = byResource.get(key);
    if (there === undefined) byResource.set(key, [acl]);
    else there.push(acl);
  }
  return {
    resources: [...byResource.values()].map((list) => {
      const { resourceType = 0, resourceName = '', patternType = 0 } = list[0] ?? {};
      return { resourceType, resourceName, patternType, acls: list };
    }),
  };
};

export const handleCreateAcls: Handler<typeof createAcls> = function* (request, call, { acls }) {
  const isRefused = !call.may('alter', 'cluster', CLUSTER_NAME);
  return {
    results: yield* mapInSteps(request.creations, ({ resourcePatternType: patternType, ...rest }) => {
      if (isRefused) return { errorCode: ERROR.CLUSTER_AUTHORIZATION_FAILED };
      const acl = { ...rest, patternType };
      const problem = problemOfAcl(acl);
      if (problem !== undefined) return { errorCode: ERROR.INVALID_REQUEST, errorMessage: problem };
      if (acls.add(acl)) return {};
      return { errorCode: ERROR.POLICY_VIOLATION, errorMessage: `There are ${MAX_ACLS} rules at most.` };
    }),
  };
};

export const handleDeleteAcls: Handler<typeof deleteAcls> = function* (request, call, { acls }) {
  const isRefused = !call.may('alter', 'cluster', CLUSTER_NAME);
  return {
    filterResults: yield* mapInSteps(request.filters, (filter) => {
      if (isRefused) return { errorCode: ERROR.CLUSTER_AUTHORIZATION_FAILED };
      const problem = problemOfFilter(filter);
      if (problem !== undefined) return { errorCode: ERROR.INVALID_REQUEST, errorMessage: problem };
      const matchingAcls = acls.list(filter);
      for (const acl of matchingAcls) acls.delete(acl);
      return { matchingAcls };
    }),
  };
};
