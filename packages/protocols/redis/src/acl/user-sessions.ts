import type { Glob } from '../data/glob.js';
import type { Session } from '../session.js';
import type { AclUser } from './acl-user.js';
import { allowsChannel } from './selector.js';

/** Subscriptions between which others may be let in. */
const STEP = 16;

/** Ends connections whose user has changed so that they may not stay. */
export class UserSessions {
  readonly #sessions: ReadonlyMap<number, Session>;

  constructor(sessions: ReadonlyMap<number, Session>) {
    this.#sessions = sessions;
  }

  /** Closes the connections of a user that is there no longer. */
  removed(user: AclUser): void {
    for (const session of [...this.#sessions.values()]) {
      if (session.account !== user) continue;
      session.lockOut();
      session.line.cut();
    }
  }

  /** Closes the connections of a user that listen to what it may listen to no longer. */
  *changed(user: AclUser, before: AclUser): Generator<undefined, void> {
    if (user.selectors.some(({ isAllChannels }) => isAllChannels)) return;
    const channels = new Map<string, Glob>(user.selectors.flatMap((selector) => [...selector.channels]));
    const isMore = before.selectors.every(
      (selector) =>
        !selector.isAllChannels && [...selector.channels.keys()].every((pattern) => channels.has(pattern)),
    );
    if (isMore) return;
    for (const session of [...this.#sessions.values()])
      if (session.account === user && (yield* listensBeyond(session, channels))) session.line.cut();
  }
}

function* listensBeyond(
  { subscriptions }: Session,
  channels: ReadonlyMap<string, Glob>,
): Generator<undefined, boolean> {
  let seen = 0;
  for (const kind of ['pattern', 'channel', 'shard'] as const)
    for (const name of subscriptions.namesOf(kind)) {
      if (!allowsChannel(channels, name, kind === 'pattern')) return true;
      seen += 1;
      if (seen % STEP === 0) yield;
    }
  return false;
}
