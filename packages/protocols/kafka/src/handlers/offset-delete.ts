import type { Group } from '../broker/group.js';
import { subscribedTopics } from '../broker/subscription.js';
import type { offsetDelete } from '../wire/apis/offset-delete.js';
import { ERROR } from '../wire/errors.js';
import type { Handler } from './call.js';
import { mapInSteps } from './in-steps.js';

/** The type of groups whose members say which topics they read. */
const CONSUMER = 'consumer';

/** Drops offsets of a group; of one that has members those alone of topics that none of them reads. */
export const handleOffsetDelete: Handler<typeof offsetDelete> = function* (request, call, services) {
  const { groups, broker } = services;
  if (!call.may('delete', 'group', request.groupId)) return { errorCode: ERROR.GROUP_AUTHORIZATION_FAILED };
  const group = groups.find(request.groupId);
  if (group === undefined) return { errorCode: ERROR.GROUP_ID_NOT_FOUND };
  const isEmpty = group.state === 'Empty';
  if (!isEmpty && group.protocolType !== CONSUMER) return { errorCode: ERROR.NON_EMPTY_GROUP };
  const read = new Set(isEmpty ? [] : yield* topicsOf(group));
  return {
    topics: yield* mapInSteps(request.topics, function* ({ name, partitions }) {
      const isRefused = !call.may('read', 'topic', name);
      return {
        name,
        partitions: yield* mapInSteps(partitions, ({ partitionIndex }) => {
          if (isRefused) return { partitionIndex, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
          const isThere = broker.find(name)?.partitions[partitionIndex] !== undefined;
          if (!isThere) return { partitionIndex, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
          if (read.has(name)) return { partitionIndex, errorCode: ERROR.GROUP_SUBSCRIBED_TO_TOPIC };
          groups.deleteOffset(group, name, partitionIndex);
          return { partitionIndex };
        }),
      };
    }),
  };
};

function* topicsOf(group: Group): Generator<undefined, string[]> {
  const lists = yield* mapInSteps([...group.members.values()], ({ protocols }) =>
    protocols.flatMap(({ metadata }) => subscribedTopics(metadata)),
  );
  return lists.flat();
}
