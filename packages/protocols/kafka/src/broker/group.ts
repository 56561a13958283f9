import { randomUUID } from 'node:crypto';
import { timers, type Timer } from '@backlot/kit';
import { ERROR } from '../wire/errors.js';
import {
  isTooMuch,
  Member,
  sizeOfProtocols,
  type Joined,
  type MemberIdentity,
  type Settle,
  type Synced,
} from './member.js';
import type { GroupMemory } from './group-memory.js';
import { Offsets } from './offsets.js';
import { Roster } from './roster.js';
import type { GroupState, JoinRequest, MemberClaim } from './requests.js';

/** How long the first member of an empty group waits for others that start at the same time, in ms (KIP-134). */
const INITIAL_DELAY = 100;
const NOTHING = Buffer.alloc(0);

/** A consumer group: its members, its generation, and the barriers at which members wait for one another. */
export class Group {
  readonly id: string;
  readonly #roster: Roster;
  readonly #memory: GroupMemory;
  offsets = new Offsets();
  state: GroupState = 'Empty';
  generation = 0;
  protocolType: string | undefined;
  protocolName: string | undefined;
  #leader: string | undefined;
  #initialDelay: Timer | undefined;
  #deadline: Timer | undefined;

  /** @param memory - of all groups */
  constructor(id: string, memory: GroupMemory) {
    this.id = id;
    this.#memory = memory;
    this.#roster = new Roster(memory);
  }

  /** Its members by id, in the order in which they came. */
  get members(): ReadonlyMap<string, Member> {
    return this.#roster.members;
  }

  /** Enters, or enters anew; answered when all members have, or at once when nothing changes. */
  join(request: JoinRequest, settle: Settle<Joined>): void {
    const refusal = this.#refusalOf(request);
    if (refusal !== ERROR.NONE) return settle({ error: refusal, memberId: request.memberId });
    if (request.memberId === '') return this.#joinAsNew(request, settle);
    if (this.#roster.redeem(request.memberId)) return this.#admit(request, request.memberId, settle);
    const member = this.members.get(request.memberId);
    const error = this.#roster.check(member, request.instanceId);
    if (member === undefined || error !== ERROR.NONE) return settle({ error, memberId: request.memberId });
    const isUnchanged = member.hasProtocols(request.protocols);
    const isLeader = member.id === this.#leader;
    const canStay =
      isUnchanged && (this.state === 'CompletingRebalance' || (this.state === 'Stable' && !isLeader));
    this.#roster.update(member, request);
    // The answer to its last join was lost, or it only asks: the others need not be troubled.
    if (canStay) return settle(this.#joinedAs(member, this.#leader));
    member.settleJoin({ error: ERROR.REBALANCE_IN_PROGRESS, memberId: member.id });
    member.joining = settle;
    this.#prepare();
  }

  /** Hands out the work (the leader), or waits for it. */
  sync(
    claim: MemberClaim,
    assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[],
    settle: Settle<Synced>,
  ): void {
    const error = this.checkClaim(claim);
    const member = this.members.get(claim.memberId);
    if (member === undefined || error !== ERROR.NONE) return settle({ error });
    if (this.state === 'PreparingRebalance') return settle({ error: ERROR.REBALANCE_IN_PROGRESS });
    if (this.state === 'Stable') return settle({ error: ERROR.NONE, assignment: member.assignment });
    member.settleSync({ error: ERROR.REBALANCE_IN_PROGRESS });
    member.syncing = settle;
    if (member.id !== this.#leader) return;
    const bytes = assignments.reduce((sum, { assignment }) => sum + assignment.length, 0);
    // As in Kafka, whose log of groups cannot take it either.
    if (this.#memory.hasNoBytesFor(bytes)) return member.settleSync({ error: ERROR.UNKNOWN_SERVER_ERROR });
    for (const { memberId, assignment } of assignments) {
      const assigned = this.members.get(memberId);
      // A copy: what was received is a part of a larger chunk.
      if (assigned !== undefined) this.#roster.assign(assigned, Buffer.from(assignment));
    }
    this.#setDeadline(undefined);
    this.state = 'Stable';
    for (const each of this.members.values()) {
      each.settleSync({ error: ERROR.NONE, assignment: each.assignment });
    }
  }

  heartbeat(claim: MemberClaim): number {
    const error = this.checkClaim(claim);
    if (error !== ERROR.NONE) return error;
    return this.state === 'PreparingRebalance' ? ERROR.REBALANCE_IN_PROGRESS : ERROR.NONE;
  }

  /** A member leaves, named by its id or, of a static one, by its instance. */
  leave(memberId: string, instanceId: string | null): number {
    if (this.#roster.redeem(memberId)) {
      this.#goOnWhenAllAreThere();
      return ERROR.NONE;
    }
    const member =
      memberId === '' && instanceId !== null
        ? this.#roster.ofInstance(instanceId)
        : this.members.get(memberId);
    const error = this.#roster.check(member, instanceId);
    if (member === undefined || error !== ERROR.NONE) return error;
    this.#remove(member);
    return ERROR.NONE;
  }

  /** The connection on which a member waits is gone; its session goes on. */
  abandon(settle: Settle<Joined> | Settle<Synced>): void {
    for (const member of this.members.values()) {
      if (member.joining === settle) member.joining = undefined;
      if (member.syncing === settle) member.syncing = undefined;
    }
  }

  /** Whether what a member says may count, and keeps its session alive if so. */
  checkClaim({ memberId, instanceId, generation }: MemberClaim): number {
    const member = this.members.get(memberId);
    const error = this.#roster.check(member, instanceId);
    if (error !== ERROR.NONE) return error;
    if (generation !== this.generation) return ERROR.ILLEGAL_GENERATION;
    member?.seen();
    return ERROR.NONE;
  }

  /** Ends everything: timers are cancelled, and who waits is told that it is no member. */
  dissolve(): void {
    this.#initialDelay?.cancel();
    this.#deadline?.cancel();
    this.state = 'Empty';
    this.#roster.clear();
  }

  #refusalOf(request: JoinRequest): number {
    if (isTooMuch(request.protocols)) return ERROR.INVALID_REQUEST;
    if (this.#memory.hasNoBytesFor(sizeOfProtocols(request.protocols))) return ERROR.GROUP_MAX_SIZE_REACHED;
    const isFirst = this.members.size === 0;
    if (request.protocols.length === 0 || request.protocolType === '')
      return ERROR.INCONSISTENT_GROUP_PROTOCOL;
    if (!isFirst && request.protocolType !== this.protocolType) return ERROR.INCONSISTENT_GROUP_PROTOCOL;
    const isCommon = this.#roster.sharesProtocol(request.protocols, request.memberId);
    return isCommon ? ERROR.NONE : ERROR.INCONSISTENT_GROUP_PROTOCOL;
  }

  #joinAsNew(request: JoinRequest, settle: Settle<Joined>): void {
    const { instanceId } = request;
    const before = instanceId === null ? undefined : this.#roster.ofInstance(instanceId);
    if (
      before === undefined &&
      (this.#roster.isFull || this.#memory.isFullFor(sizeOfProtocols(request.protocols)))
    ) {
      return settle({ error: ERROR.GROUP_MAX_SIZE_REACHED, memberId: '' });
    }
    const id = `${instanceId ?? request.clientId}-${randomUUID()}`;
    if (before !== undefined) return this.#replace(before, request, id, settle);
    if (!request.asksForId || instanceId !== null) return this.#admit(request, id, settle);
    this.#roster.promise(id, request.sessionTimeout, () => this.#goOnWhenAllAreThere());
    settle({ error: ERROR.MEMBER_ID_REQUIRED, memberId: id });
  }

  #admit(request: JoinRequest, id: string, settle: Settle<Joined>): void {
    const member = this.#add(request, id);
    this.protocolType = request.protocolType;
    member.joining = settle;
    this.#prepare();
  }

  /** A static member that was started again takes its own place, without a rebalance when nothing changed. */
  #replace(before: Member, request: JoinRequest, id: string, settle: Settle<Joined>): void {
    this.#roster.dismiss(before, ERROR.FENCED_INSTANCE_ID);
    const leaderBefore = this.#leader;
    const member = this.#add(request, id);
    this.#roster.assign(member, before.assignment);
    if (leaderBefore === before.id) this.#leader = id;
    // Told of the old leader, it asks for its share instead of handing out shares.
    if (this.state === 'Stable' && before.hasProtocols(request.protocols)) {
      return settle(this.#joinedAs(member, leaderBefore));
    }
    member.joining = settle;
    this.#prepare();
  }

  #add(request: JoinRequest, id: string): Member {
    const { instanceId, clientId, clientHost } = request;
    const identity: MemberIdentity = { id, instanceId, clientId, clientHost };
    const member = new Member(identity, request, () => this.#remove(member));
    this.#roster.enter(member);
    return member;
  }

  #remove(member: Member): void {
    if (this.members.get(member.id) !== member) return;
    this.#roster.dismiss(member, ERROR.UNKNOWN_MEMBER_ID);
    if (this.state === 'PreparingRebalance') this.#goOnWhenAllAreThere();
    else this.#prepare();
  }

  /** Everybody has to join anew: waits for it. */
  #prepare(): void {
    if (this.state === 'PreparingRebalance') return this.#goOnWhenAllAreThere();
    for (const member of this.members.values()) member.settleSync({ error: ERROR.REBALANCE_IN_PROGRESS });
    const isFirst = this.state === 'Empty';
    this.state = 'PreparingRebalance';
    this.#setDeadline(this.#roster.maxRebalance, () => this.#complete());
    if (isFirst) {
      this.#initialDelay = timers.after(
        INITIAL_DELAY,
        () => {
          this.#initialDelay = undefined;
          this.#goOnWhenAllAreThere();
        },
        { unref: true },
      );
    }
    this.#goOnWhenAllAreThere();
  }

  #goOnWhenAllAreThere(): void {
    if (this.state !== 'PreparingRebalance' || this.#initialDelay !== undefined) return;
    if (this.#roster.expectsMore && this.members.size > 0) return;
    for (const member of this.members.values()) if (member.joining === undefined) return;
    this.#complete();
  }

  /** The next generation begins with those who have joined. */
  #complete(): void {
    this.#initialDelay?.cancel();
    this.#initialDelay = undefined;
    this.#setDeadline(undefined);
    for (const member of [...this.members.values()]) {
      if (member.joining === undefined) this.#roster.dismiss(member, ERROR.UNKNOWN_MEMBER_ID);
    }
    this.generation += 1;
    const [first] = this.members.keys();
    if (first === undefined) {
      this.state = 'Empty';
      this.protocolName = undefined;
      this.#leader = undefined;
      return;
    }
    if (this.#leader === undefined || !this.members.has(this.#leader)) this.#leader = first;
    this.protocolName = this.#roster.chooseProtocol();
    this.state = 'CompletingRebalance';
    this.#setDeadline(this.#roster.maxRebalance, () => this.#dropUnsynced());
    for (const member of this.members.values()) {
      this.#roster.assign(member, NOTHING);
      member.settleJoin(this.#joinedAs(member, this.#leader));
    }
  }

  /** The leader never handed out the work: who does not wait for it is gone. */
  #dropUnsynced(): void {
    for (const member of [...this.members.values()]) {
      if (member.syncing === undefined) this.#roster.dismiss(member, ERROR.UNKNOWN_MEMBER_ID);
    }
    this.#prepare();
  }

  #joinedAs(member: Member, leader = ''): Joined {
    const { generation, protocolType = null, protocolName = null } = this;
    const members = member.id === leader ? this.#roster.describe(protocolName) : [];
    return {
      error: ERROR.NONE,
      generation,
      protocolType,
      protocolName,
      leader,
      memberId: member.id,
      members,
    };
  }

  #setDeadline(milliseconds: number | undefined, onPassed: () => void = () => undefined): void {
    this.#deadline?.cancel();
    this.#deadline =
      milliseconds === undefined ? undefined : timers.after(milliseconds, onPassed, { unref: true });
  }
}
