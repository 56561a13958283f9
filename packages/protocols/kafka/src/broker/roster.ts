import { timers, type Timer } from '@backlot/kit';
import { ERROR } from '../wire/errors.js';
import type { GroupMemory } from './group-memory.js';
import {
  sizeOfProtocols,
  type GroupProtocol,
  type Joined,
  type Member,
  type MemberSettings,
} from './member.js';

const MAX_MEMBERS = 1000;

/** Who is in a group, and who has been given an id to join with. */
export class Roster {
  readonly members = new Map<string, Member>();
  readonly #memory: GroupMemory;
  /** How many members know each way to share the work out. */
  readonly #support = new Map<string, number>();
  /** Ids that were given out and have not been used to join. */
  readonly #promised = new Map<string, Timer>();

  /** @param memory - of all groups */
  constructor(memory: GroupMemory) {
    this.#memory = memory;
  }

  get isFull(): boolean {
    return this.members.size + this.#promised.size >= MAX_MEMBERS;
  }

  /** Whether somebody is about to join. */
  get expectsMore(): boolean {
    return this.#promised.size > 0;
  }

  /** The longest time that a member may take to join anew, in ms. */
  get maxRebalance(): number {
    return Math.max(0, ...Array.from(this.members.values(), (member) => member.rebalanceTimeout));
  }

  /** Keeps a place for an id that was given out. @param onForgotten - it was not used in time */
  promise(id: string, milliseconds: number, onForgotten: () => void): void {
    const forget = (): void => {
      this.#promised.delete(id);
      onForgotten();
    };
    this.#promised.set(id, timers.after(milliseconds, forget, { unref: true }));
  }

  /** Takes back an id that was given out. @returns whether it was one */
  redeem(id: string): boolean {
    const timer = this.#promised.get(id);
    timer?.cancel();
    return this.#promised.delete(id);
  }

  /** The static member of an instance. */
  ofInstance(instanceId: string): Member | undefined {
    for (const member of this.members.values()) if (member.identity.instanceId === instanceId) return member;
    return undefined;
  }

  /** Whether who speaks is a member, and the one that its instance belongs to. @returns an error code */
  check(member: Member | undefined, instanceId: string | null): number {
    const fitting = instanceId === null ? undefined : this.ofInstance(instanceId);
    if (fitting !== undefined && fitting !== member) return ERROR.FENCED_INSTANCE_ID;
    return member === undefined ? ERROR.UNKNOWN_MEMBER_ID : ERROR.NONE;
  }

  /** Takes a member in. */
  enter(member: Member): void {
    this.members.set(member.id, member);
    this.#memory.members += 1;
    this.#memory.memberBytes += member.assignment.length;
    this.#count(member, 1);
  }

  /** A member says anew what it can do. */
  update(member: Member, settings: MemberSettings): void {
    this.#count(member, -1);
    member.update(settings);
    this.#count(member, 1);
  }

  /** Gives a member its share of the work. */
  assign(member: Member, assignment: Buffer): void {
    if (this.members.has(member.id)) this.#memory.memberBytes += assignment.length - member.assignment.length;
    member.assignment = assignment;
  }

  /** Whether all others know one of these ways to share the work out. */
  sharesProtocol(protocols: readonly GroupProtocol[], memberId: string): boolean {
    const self = this.members.get(memberId);
    const others = this.members.size - (self === undefined ? 0 : 1);
    return protocols.some(
      ({ name }) => (this.#support.get(name) ?? 0) - (self?.knows(name) === true ? 1 : 0) === others,
    );
  }

  /** Of the ways that all members know, the one that most of them like best. */
  chooseProtocol(): string | undefined {
    const { size } = this.members;
    const votes = new Map<string, number>();
    for (const { protocols } of this.members.values()) {
      const liked = protocols.find(({ name }) => this.#support.get(name) === size);
      if (liked !== undefined) votes.set(liked.name, (votes.get(liked.name) ?? 0) + 1);
    }
    return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0];
  }

  /** What the leader is told of all members. @param protocol - the way that was chosen */
  describe(protocol: string | null): NonNullable<Joined['members']> {
    return Array.from(this.members.values(), ({ identity, protocols }) => ({
      memberId: identity.id,
      groupInstanceId: identity.instanceId,
      metadata: protocols.find(({ name }) => name === protocol)?.metadata ?? Buffer.alloc(0),
    }));
  }

  /** Takes a member out, and tells it why. */
  dismiss(member: Member, error: number): void {
    if (this.members.delete(member.id)) {
      this.#memory.members -= 1;
      this.#memory.memberBytes -= member.assignment.length;
      this.#count(member, -1);
    }
    member.dismiss(error);
  }

  /** Takes everybody out. */
  clear(): void {
    for (const timer of this.#promised.values()) timer.cancel();
    this.#promised.clear();
    for (const member of [...this.members.values()]) this.dismiss(member, ERROR.UNKNOWN_MEMBER_ID);
  }

  #count({ protocols }: Member, by: 1 | -1): void {
    this.#memory.memberBytes += by * sizeOfProtocols(protocols);
    for (const name of new Set(protocols.map((protocol) => protocol.name))) {
      const support = (this.#support.get(name) ?? 0) + by;
      if (support === 0) this.#support.delete(name);
      else this.#support.set(name, support);
    }
  }
}
