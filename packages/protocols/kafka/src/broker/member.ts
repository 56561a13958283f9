import { timers, type Timer } from '@backlot/kit';

/** A way to share the work out that a member can do, with what it says about itself for it. */
export interface GroupProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

/** Ways to share the work out that one member may know, and bytes that it may say about itself for them. */
const MAX_PROTOCOLS = 100;
const MAX_BYTES = 1024 * 1024;

/** Bytes that a member says about itself. */
export function sizeOfProtocols(protocols: readonly GroupProtocol[]): number {
  return protocols.reduce((sum, { name, metadata }) => sum + name.length + metadata.length, 0);
}

/** Whether that is more than a member may say about itself. */
export function isTooMuch(protocols: readonly GroupProtocol[]): boolean {
  return protocols.length > MAX_PROTOCOLS || sizeOfProtocols(protocols) > MAX_BYTES;
}

/** Who a member is: fixed when it joins for the first time. */
export interface MemberIdentity {
  readonly id: string;
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
}

/** Answers a join or a sync that waits; called once. */
export type Settle<T> = (outcome: T) => void;

/** What a join came to. */
export interface Joined {
  readonly error: number;
  readonly generation?: number;
  readonly protocolType?: string | null;
  readonly protocolName?: string | null;
  readonly leader?: string;
  readonly memberId: string;
  /** For the leader alone. */
  readonly members?: readonly {
    readonly memberId: string;
    readonly groupInstanceId: string | null;
    readonly metadata: Buffer;
  }[];
}

/** What a sync came to. */
export interface Synced {
  readonly error: number;
  readonly assignment?: Buffer;
}

/** One member of a group. */
export class Member {
  readonly identity: MemberIdentity;
  protocols: readonly GroupProtocol[];
  /** Milliseconds. */
  sessionTimeout: number;
  /** Milliseconds. */
  rebalanceTimeout: number;
  assignment: Buffer = Buffer.alloc(0);
  /** Its join that waits for the others. */
  joining: Settle<Joined> | undefined;
  /** Its sync that waits for the leader. */
  syncing: Settle<Synced> | undefined;
  readonly #onExpired: () => void;
  #seenAt = timers.now();
  #timer: Timer | undefined;

  /** @param onExpired - nothing was heard of it for the length of its session */
  constructor(identity: MemberIdentity, settings: MemberSettings, onExpired: () => void) {
    this.identity = identity;
    this.protocols = settings.protocols;
    this.sessionTimeout = settings.sessionTimeout;
    this.rebalanceTimeout = settings.rebalanceTimeout;
    this.#onExpired = onExpired;
    this.#arm(this.sessionTimeout);
  }

  get id(): string {
    return this.identity.id;
  }

  /** It has been heard of. */
  seen(): void {
    this.#seenAt = timers.now();
  }

  update(settings: MemberSettings): void {
    this.protocols = settings.protocols;
    this.sessionTimeout = settings.sessionTimeout;
    this.rebalanceTimeout = settings.rebalanceTimeout;
    this.seen();
    this.#arm(this.sessionTimeout);
  }

  /** Whether it can share the work out this way. */
  knows(protocol: string): boolean {
    return this.protocols.some(({ name }) => name === protocol);
  }

  /** Whether it says the same about itself as before. */
  hasProtocols(protocols: readonly GroupProtocol[]): boolean {
    return (
      protocols.length === this.protocols.length &&
      protocols.every(({ name, metadata }, index) => {
        const own = this.protocols[index];
        return own?.name === name && own.metadata.equals(metadata);
      })
    );
  }

  /** Ends its timer and whatever of it waits. */
  dismiss(error: number): void {
    this.#timer?.cancel();
    this.settleJoin({ error, memberId: this.id });
    this.settleSync({ error });
  }

  settleJoin(outcome: Joined): void {
    const settle = this.joining;
    this.joining = undefined;
    this.seen();
    settle?.(outcome);
  }

  settleSync(outcome: Synced): void {
    const settle = this.syncing;
    this.syncing = undefined;
    this.seen();
    settle?.(outcome);
  }

  #arm(milliseconds: number): void {
    this.#timer?.cancel();
    this.#timer = timers.after(
      milliseconds,
      () => {
        // A client that waits for an answer of ours cannot send heart-beats.
        const isWaiting = this.joining !== undefined || this.syncing !== undefined;
        const left = isWaiting ? this.sessionTimeout : this.#seenAt + this.sessionTimeout - timers.now();
        if (left > 0) this.#arm(left);
        else this.#onExpired();
      },
      { unref: true },
    );
  }
}

/** What a member gives with each join. */
export interface MemberSettings {
  readonly protocols: readonly GroupProtocol[];
  readonly sessionTimeout: number;
  readonly rebalanceTimeout: number;
}
