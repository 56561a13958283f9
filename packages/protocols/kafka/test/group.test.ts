import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { deleteGroups } from '../src/wire/apis/delete-groups.js';
import { describeGroups } from '../src/wire/apis/describe-groups.js';
import { heartbeat } from '../src/wire/apis/heartbeat.js';
import { joinGroup } from '../src/wire/apis/join-group.js';
import { leaveGroup } from '../src/wire/apis/leave-group.js';
import { listGroups } from '../src/wire/apis/list-groups.js';
import { offsetCommit } from '../src/wire/apis/offset-commit.js';
import { offsetFetch } from '../src/wire/apis/offset-fetch.js';
import { syncGroup } from '../src/wire/apis/sync-group.js';
import { ERROR } from '../src/wire/errors.js';
import { RawClient, startHost, type Running } from './support.js';

const GROUP = 'team';
const NONE = Buffer.alloc(0);

interface JoinOptions {
  readonly memberId?: string;
  readonly instance?: string | null;
  readonly session?: number;
  readonly rebalance?: number;
  readonly protocols?: readonly string[];
  readonly type?: string;
}

/** A member that speaks the protocol by itself. */
class Member {
  memberId = '';
  generation = -1;
  readonly client: RawClient;
  readonly instance: string | null;

  constructor(client: RawClient, instance: string | null = null) {
    this.client = client;
    this.instance = instance;
  }

  static async connect({ port }: Running, instance: string | null = null): Promise<Member> {
    return new Member(await RawClient.connect(port), instance);
  }

  async join(options: JoinOptions = {}) {
    const { session = 30_000, rebalance = 30_000, protocols = ['range'], type = 'consumer' } = options;
    const joined = await this.client.call(joinGroup, 5, {
      groupId: GROUP,
      sessionTimeoutMs: session,
      rebalanceTimeoutMs: rebalance,
      memberId: options.memberId ?? this.memberId,
      groupInstanceId: this.instance,
      protocolType: type,
      protocols: protocols.map((name) => ({ name, metadata: Buffer.from(`${name} of ${this.memberId}`) })),
    });
    if (joined.memberId !== '') this.memberId = joined.memberId;
    this.generation = joined.generationId;
    return joined;
  }

  /** Asks for an id first, as clients do. */
  async enter(options: JoinOptions = {}) {
    if (this.instance === null) expect((await this.join(options)).errorCode).toBe(ERROR.MEMBER_ID_REQUIRED);
    return this.join(options);
  }

  sync(assignments: readonly { memberId: string; assignment: Buffer }[] = []) {
    return this.client.call(syncGroup, 3, { ...this.claim, assignments });
  }

  async beat(): Promise<number> {
    return (await this.client.call(heartbeat, 3, this.claim)).errorCode;
  }

  async leave(): Promise<number> {
    const members = [{ memberId: this.memberId, groupInstanceId: this.instance }];
    const left = await this.client.call(leaveGroup, 4, { groupId: GROUP, members });
    return left.members[0]?.errorCode ?? -1;
  }

  async commit(offset: number): Promise<number | undefined> {
    const topics = [{ name: 'log', partitions: [{ partitionIndex: 0, committedOffset: offset }] }];
    const { topics: committed } = await this.client.call(offsetCommit, 7, { ...this.claim, topics });
    return committed[0]?.partitions[0]?.errorCode;
  }

  get claim() {
    return {
      groupId: GROUP,
      generationId: this.generation,
      memberId: this.memberId,
      groupInstanceId: this.instance,
    };
  }
}

async function stateOf(client: RawClient): Promise<string | undefined> {
  const { groups } = await client.call(describeGroups, 5, { groups: [GROUP] });
  return groups[0]?.groupState;
}

/** Two members with their shares, and a client that watches. */
async function startPair(options: JoinOptions = {}) {
  const running = await startHost({ topics: [{ name: 'log' }] });
  const [a, b, watcher] = [
    await Member.connect(running),
    await Member.connect(running),
    await RawClient.connect(running.port),
  ];
  await Promise.all([a.enter(options), b.enter(options)]);
  const leader = (await watcher.call(describeGroups, 3, { groups: [GROUP] })).groups[0]?.members[0]?.memberId;
  const [first, second] = leader === a.memberId ? [a, b] : [b, a];
  const shares = [
    { memberId: first.memberId, assignment: Buffer.from('one') },
    { memberId: second.memberId, assignment: Buffer.from('two') },
  ];
  const waiting = second.sync();
  expect((await first.sync(shares)).assignment.toString()).toBe('one');
  expect((await waiting).assignment.toString()).toBe('two');
  return { running, leader: first, follower: second, watcher };
}

describe('a group', () => {
  it('starts with all who come at the same time, and hands out the work through its leader', async () => {
    const { leader, follower, watcher } = await startPair();
    expect(leader.generation).toBe(1);
    expect(follower.generation).toBe(1);
    const { groups } = await watcher.call(describeGroups, 5, { groups: [GROUP, 'nobody'] });
    expect(groups.map(({ groupState }) => groupState)).toEqual(['Stable', 'Dead']);
    expect(groups[0]).toMatchObject({ protocolType: 'consumer', protocolData: 'range' });
    expect(groups[0]?.members.map((member) => member.memberAssignment.toString()).sort()).toEqual([
      'one',
      'two',
    ]);
    expect(groups[0]?.members[0]).toMatchObject({ clientId: 'raw', clientHost: '/127.0.0.1' });
    expect(await watcher.call(listGroups, 5, { statesFilter: ['Stable'] })).toMatchObject({
      groups: [{ groupId: GROUP, protocolType: 'consumer', groupState: 'Stable', groupType: 'classic' }],
    });
    expect((await watcher.call(listGroups, 4, { statesFilter: ['Empty'] })).groups).toEqual([]);
  });

  it('makes everybody join anew when one comes, and waits for all of them', async () => {
    const { running, leader, follower } = await startPair();
    const third = await Member.connect(running);
    let isIn = false;
    const entering = third.enter().finally(() => (isIn = true));
    await eventually(() => true);
    while ((await leader.beat()) !== ERROR.REBALANCE_IN_PROGRESS);
    expect(await follower.beat()).toBe(ERROR.REBALANCE_IN_PROGRESS);
    const joining = leader.join();
    expect(await follower.beat()).toBe(ERROR.REBALANCE_IN_PROGRESS);
    expect(isIn).toBe(false);
    await Promise.all([joining, follower.join(), entering]);
    expect([leader.generation, follower.generation, third.generation]).toEqual([2, 2, 2]);
  });

  it('makes the others join anew when one leaves', async () => {
    const { leader, follower, watcher } = await startPair();
    expect(await leader.leave()).toBe(ERROR.NONE);
    expect(await leader.beat()).toBe(ERROR.UNKNOWN_MEMBER_ID);
    expect(await follower.beat()).toBe(ERROR.REBALANCE_IN_PROGRESS);
    const joined = await follower.join();
    expect(joined).toMatchObject({ errorCode: 0, generationId: 2, leader: follower.memberId });
    expect(await follower.leave()).toBe(ERROR.NONE);
    expect(await stateOf(watcher)).toBe('Empty');
    expect(await watcher.call(deleteGroups, 2, { groupsNames: [GROUP, 'x'] })).toMatchObject({
      results: [{ errorCode: 0 }, { errorCode: ERROR.GROUP_ID_NOT_FOUND }],
    });
  });

  it('drops a member of which nothing was heard for the length of its session', async () => {
    const { leader, follower } = await startPair({ session: 200 });
    const beating = setInterval(() => void follower.client.send(heartbeat, 3, follower.claim), 50);
    try {
      const answers: number[] = [];
      while (answers.at(-1) !== ERROR.REBALANCE_IN_PROGRESS) {
        answers.push((await follower.client.frame())?.readInt16BE(8) ?? -1);
      }
      expect(answers.length).toBeGreaterThan(1);
      expect(answers.slice(0, -1).every((code) => code === ERROR.NONE)).toBe(true);
    } finally {
      clearInterval(beating);
    }
    expect(await leader.beat()).toBe(ERROR.UNKNOWN_MEMBER_ID);
  });

  it('goes on without a member that does not join anew within the rebalance time-out', async () => {
    const { running, leader, follower } = await startPair({ rebalance: 150 });
    const third = await Member.connect(running);
    const entering = third.enter({ rebalance: 150 });
    while ((await leader.beat()) !== ERROR.REBALANCE_IN_PROGRESS);
    const joined = await leader.join({ rebalance: 150 });
    expect(joined.members.map(({ memberId }) => memberId).sort()).toEqual(
      [leader.memberId, third.memberId].sort(),
    );
    await entering;
    expect(await follower.beat()).toBe(ERROR.UNKNOWN_MEMBER_ID);
  });

  it('goes on when a member that waits to join is cut off', async () => {
    const { running, leader, follower } = await startPair({ session: 300, rebalance: 400 });
    const third = await Member.connect(running);
    await third.join();
    third.client.send(joinGroup, 5, {
      groupId: GROUP,
      memberId: third.memberId,
      protocolType: 'consumer',
      sessionTimeoutMs: 300,
      rebalanceTimeoutMs: 400,
      protocols: [{ name: 'range', metadata: NONE }],
    });
    while ((await leader.beat()) !== ERROR.REBALANCE_IN_PROGRESS);
    third.client.socket.destroy();
    const settings = { session: 300, rebalance: 400 };
    const [joined] = await Promise.all([leader.join(settings), follower.join(settings)]);
    expect(joined).toMatchObject({ errorCode: 0 });
  });

  it('keeps the place of a static member that is started again', async () => {
    const running = await startHost();
    const first = await Member.connect(running, 'fixed');
    await first.enter();
    await first.sync([{ memberId: first.memberId, assignment: Buffer.from('share') }]);
    const again = await Member.connect(running, 'fixed');
    const joined = await again.join({ memberId: '', protocols: ['range'] });
    expect(joined.errorCode).toBe(ERROR.NONE);
    expect(again.memberId).not.toBe(first.memberId);
    expect(await first.beat()).toBe(ERROR.FENCED_INSTANCE_ID);
  });

  it('refuses what does not fit it', async () => {
    const { running, leader } = await startPair();
    const stranger = await Member.connect(running);
    expect((await stranger.join({ type: 'connect' })).errorCode).toBe(ERROR.INCONSISTENT_GROUP_PROTOCOL);
    expect((await stranger.join({ protocols: ['sticky'] })).errorCode).toBe(
      ERROR.INCONSISTENT_GROUP_PROTOCOL,
    );
    expect((await stranger.join({ protocols: [] })).errorCode).toBe(ERROR.INCONSISTENT_GROUP_PROTOCOL);
    expect((await stranger.join({ memberId: 'nobody' })).errorCode).toBe(ERROR.UNKNOWN_MEMBER_ID);
    expect((await stranger.join({ memberId: '', session: 0 })).errorCode).toBe(ERROR.INVALID_SESSION_TIMEOUT);
    expect((await stranger.sync()).errorCode).toBe(ERROR.UNKNOWN_MEMBER_ID);
    leader.generation = 99;
    expect(await leader.beat()).toBe(ERROR.ILLEGAL_GENERATION);
    expect(await leader.commit(1)).toBe(ERROR.ILLEGAL_GENERATION);
  });

  it('is forgotten by a reset, and members enter anew', async () => {
    const { running, leader } = await startPair();
    expect(await leader.commit(1)).toBe(ERROR.NONE);
    running.host.reset();
    expect(await leader.beat()).toBe(ERROR.UNKNOWN_MEMBER_ID);
    leader.memberId = '';
    expect((await leader.enter()).generationId).toBe(1);
    const { topics } = await leader.client.call(offsetFetch, 7, { groupId: GROUP, topics: null });
    expect(topics).toEqual([]);
  });
});

describe('committed offsets', () => {
  it.each([1, 5, 7, 8, 9])('are read by OffsetFetch of version %d', async (version) => {
    const { leader, watcher } = await startPair();
    expect(await leader.commit(42)).toBe(ERROR.NONE);
    const topics = [{ name: 'log', partitionIndexes: [0, 1] }];
    const answer = await watcher.call(offsetFetch, version, {
      groupId: GROUP,
      topics,
      groups: [{ groupId: GROUP, topics }],
    });
    const [topic] = version >= 8 ? (answer.groups[0]?.topics ?? []) : answer.topics;
    expect(topic?.partitions.map(({ committedOffset }) => committedOffset)).toEqual([42, -1]);
  });

  it('of topics that there are not, or by strangers, are refused', async () => {
    const { watcher, follower } = await startPair();
    const topics = [{ name: 'nowhere', partitions: [{ partitionIndex: 0, committedOffset: 1 }] }];
    const refused = await watcher.call(offsetCommit, 8, { ...follower.claim, topics });
    expect(refused.topics[0]?.partitions[0]?.errorCode).toBe(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    const stranger = await watcher.call(offsetCommit, 8, { groupId: GROUP, generationId: -1, topics });
    expect(stranger.topics[0]?.partitions[0]?.errorCode).toBe(ERROR.UNKNOWN_MEMBER_ID);
  });
});
