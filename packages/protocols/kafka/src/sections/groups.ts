import { BacklotError, invalid, type DataEntry, type DataSection, type Json } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import type { Group } from '../broker/group.js';
import type { Groups } from '../broker/groups.js';
import { ERROR } from '../wire/errors.js';
import { MAX_SHOWN } from './declaration.js';

interface GivenOffset {
  readonly topic: string;
  readonly partition?: number;
  readonly offset: number;
}

/** The consumer groups, for people. */
export class GroupSection implements DataSection {
  readonly #groups: Groups;
  readonly #broker: Broker;

  constructor(groups: Groups, broker: Broker) {
    this.#groups = groups;
    this.#broker = broker;
  }

  get size(): number {
    return this.#groups.size;
  }

  *entries(): Generator<DataEntry> {
    for (const { id } of this.#groups.values()) yield this.#entry(id);
  }

  find(id: string): DataEntry | undefined {
    return this.#groups.find(id) === undefined ? undefined : this.#entry(id);
  }

  put(given: Json): string {
    const { group: id, offsets } = given as unknown as { group: string; offsets: readonly GivenOffset[] };
    offsets.forEach(({ topic, partition = 0 }, index) => {
      if (this.#broker.find(topic)?.partitions[partition] !== undefined) return;
      const message = `there is no partition ${partition} of a topic ${JSON.stringify(topic)}`;
      throw invalid(message, [{ path: `/offsets/${index}`, message }]);
    });
    if (this.#groups.find(id)?.members.size) throw hasMembers(id);
    const group = this.#groups.open(id);
    if (group === undefined) throw new BacklotError('too_large', 'there are too many groups');
    for (const { topic, partition = 0, offset } of offsets) {
      if (!this.#groups.commit(group, topic, partition, { offset, leaderEpoch: -1, metadata: null })) {
        throw new BacklotError('too_large', 'there is no room for further offsets of groups');
      }
    }
    return id;
  }

  remove(id: string): void {
    if (this.#groups.delete(id) === ERROR.NON_EMPTY_GROUP) throw hasMembers(id);
  }

  #entry(id: string): DataEntry {
    return {
      id,
      read: () => {
        const group = this.#groups.find(id);
        return group === undefined ? undefined : this.#show(group);
      },
    };
  }

  #show(group: Group): Json {
    let lag = 0;
    const offsets: Json[] = [];
    for (const [topic, partitions] of group.offsets.save()) {
      const logs = this.#broker.find(topic)?.partitions;
      for (const [partition, { offset }] of partitions) {
        const behind = Math.max(0, (logs?.[partition]?.endOffset ?? offset) - offset);
        lag += behind;
        if (offsets.length < MAX_SHOWN) offsets.push({ topic, partition, offset, lag: behind });
      }
    }
    const members = [...group.members.values()].slice(0, MAX_SHOWN);
    return {
      group: group.id,
      state: group.state,
      members: members.map(({ identity: { id, clientId, clientHost } }) => {
        return { member: id, client: clientId, remote: clientHost };
      }),
      lag,
      offsets,
    };
  }
}

function hasMembers(id: string): BacklotError {
  return new BacklotError('conflict', `group "${id}" has members; close their connections first`);
}
