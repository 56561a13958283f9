import { CLUSTER_NAME } from '../broker/acl.js';
import type { Group } from '../broker/group.js';
import type { deleteGroups } from '../wire/apis/delete-groups.js';
import type { describeGroups } from '../wire/apis/describe-groups.js';
import type { listGroups } from '../wire/apis/list-groups.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';
import { mapInSteps } from './in-steps.js';

const CLASSIC = 'classic';
const NOTHING = Buffer.alloc(0);

export const handleDescribeGroups: Handler<typeof describeGroups> = function* (request, call, { groups }) {
  return {
    // One that is named twice is described once.
    groups: yield* mapInSteps([...new Set(request.groups)], function* (groupId) {
      if (!call.may('describe', 'group', groupId)) {
        return { groupId, errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
      }
      const group = groups.find(groupId);
      return group === undefined ? { groupId, groupState: 'Dead' } : yield* describe(group);
    }),
  };
};

function* describe(group: Group) {
  const { id: groupId, state, protocolName } = group;
  const isStable = state === 'Stable';
  return {
    groupId,
    groupState: state,
    protocolType: group.protocolType ?? '',
    protocolData: isStable ? (protocolName ?? '') : '',
    members: yield* mapInSteps([...group.members.values()], ({ identity, protocols, assignment }) => ({
      memberId: identity.id,
      groupInstanceId: identity.instanceId,
      clientId: identity.clientId,
      clientHost: identity.clientHost,
      memberMetadata: isStable
        ? (protocols.find(({ name }) => name === protocolName)?.metadata ?? NOTHING)
        : NOTHING,
      memberAssignment: isStable ? assignment : NOTHING,
    })),
  };
}

export const handleListGroups: Handler<typeof listGroups> = function* (request, call, { groups }) {
  const states = new Set(request.statesFilter.map((state) => state.toLowerCase()));
  const types = new Set(request.typesFilter.map((type) => type.toLowerCase()));
  const mayAll = call.may('describe', 'cluster', CLUSTER_NAME);
  const listed = [...groups.values()].filter(
    ({ id, state }) =>
      (mayAll || call.may('describe', 'group', id)) &&
      (states.size === 0 || states.has(state.toLowerCase())) &&
      (types.size === 0 || types.has(CLASSIC)),
  );
  return {
    groups: yield* mapInSteps(listed, ({ id: groupId, protocolType = '', state: groupState }) => ({
      groupId,
      protocolType,
      groupState,
      groupType: CLASSIC,
    })),
  };
};

export const handleDeleteGroups: Handler<typeof deleteGroups> = function* (request, call, { groups }) {
  return {
    results: yield* mapInSteps(request.groupsNames, (groupId) => ({
      groupId,
      errorCode: call.may('delete', 'group', groupId)
        ? groups.delete(groupId)
        : ERROR.GROUP_AUTHORIZATION_FAILED,
    })),
  };
};
