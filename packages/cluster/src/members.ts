import { BacklotError, afterRealTime, realElapsed } from '@backlot/core/plugin';
import type { OtherReplica, ReplicaAnswer, ReplicaQuestion } from '@backlot/management';
import { askReplica, isGone } from './ask-replica.js';
import type { CommandLog } from './log.js';
import type { KnownPeer, Peers } from './peers.js';
import type { ReplicaKey } from './replica-key.js';

/** After this many milliseconds of listening all that live have told of themselves, who do so twice a second. */
const HEARD = 1_200;

/** How long the engine may take to hand back what it is given, in milliseconds. */
const ANSWERED = 2_000;

/** What members are known by. */
interface MembersParts {
  readonly log: CommandLog;
  readonly warn: (text: string) => void;
  /** Tells of this replica. @returns a number by which it hears that itself */
  readonly tell: () => number;
}

/** The replicas that are asked for what each has alone. */
export class Members {
  #listensSince: number | undefined;
  readonly #hearing = new Set<(count: number) => void>();

  constructor(
    private readonly peers: Peers,
    private readonly key: ReplicaKey,
    private readonly parts: MembersParts,
  ) {}

  /** It listens to the others from now on, or again. */
  begin(): void {
    this.#listensSince = realElapsed();
  }

  /** It has heard what it has told itself. */
  hearOwn(count: number): void {
    for (const hear of [...this.#hearing]) hear(count);
  }

  /** See `Replication.others`. */
  async others(): Promise<readonly OtherReplica[]> {
    const { log } = this.parts;
    this.#check(log);
    const since = this.#listensSince ?? realElapsed();
    const left = since + HEARD - realElapsed();
    if (left > 0) await new Promise<void>((resolve) => afterRealTime(left, resolve));
    this.#check(log);
    await this.#hearAll(log);
    const asked = await Promise.all(this.peers.known().map((peer) => this.#unlessGone(peer)));
    return asked.flat();
  }

  /** Waits until it has heard what others have told until now: what it tells itself comes after that. */
  async #hearAll({ engine }: CommandLog): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        timer.cancel();
        this.#hearing.delete(hear);
      };
      const timer = afterRealTime(ANSWERED, () => {
        end();
        reject(unknownMembers(`${engine} has said nothing for ${ANSWERED} ms`));
      });
      const hear = (count: number): void => {
        if (count < told) return;
        end();
        resolve();
      };
      this.#hearing.add(hear);
      const told = this.parts.tell();
    });
  }

  #check({ isReached, engine }: CommandLog): void {
    if (isReached && this.#listensSince !== undefined) return;
    throw unknownMembers(`${engine} is not reached`);
  }

  /** One that is missed and whose port takes no connections has died: what it had alone is lost. */
  async #unlessGone(peer: KnownPeer): Promise<readonly OtherReplica[]> {
    const ask = (question: ReplicaQuestion): Promise<ReplicaAnswer> => this.#ask(peer, question);
    const other = { name: peer.from, session: peer.session, ask };
    if (!peer.isMissed) return [other];
    try {
      const question = { method: 'GET', path: '/api/cluster', signal: new AbortController().signal };
      const answer = await ask(question);
      answer.body.resume();
      if (answer.status < 300) return [other];
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
    this.peers.lose(peer.from);
    this.parts.warn(`the replica "${peer.from}" has died: what it had logged and captured is lost`);
    return [];
  }

  async #ask({ from: name, session, url }: KnownPeer, question: ReplicaQuestion): Promise<ReplicaAnswer> {
    if (url !== undefined) return await askReplica({ name, session, url }, question, this.key);
    throw new BacklotError('unavailable', `the replica "${name}" has not said where its management API is`, {
      fields: { replica: name },
    });
  }
}

function unknownMembers(reason: string): BacklotError {
  return new BacklotError(
    'unavailable',
    `${reason}, so that it is not known which replicas there are; consistency=local asks this one alone`,
  );
}
