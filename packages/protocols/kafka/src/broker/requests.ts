import type { MemberSettings } from './member.js';

/** The states of a group, as DescribeGroups names them. */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

/** What a member asks for when it joins. */
export interface JoinRequest extends MemberSettings {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly protocolType: string;
  readonly clientId: string;
  readonly clientHost: string;
  /** Whether the client first asks for an id and then joins with it. */
  readonly asksForId: boolean;
}

/** Which member speaks, and of which generation. */
export interface MemberClaim {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly generation: number;
}
