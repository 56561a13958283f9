import { performance } from 'node:perf_hooks';
import { BacklotError, afterRealTime } from '@backlot/core/plugin';
import type { OtherReplica, ReplicaAnswer, ReplicaQuestion } from '@backlot/management';
import { askReplica, isGone } from './ask-replica.js';
import type { CommandLog } from './log.js';
import type { KnownPeer, Peers } from './peers.js';
import type { ReplicaKey } from './replica-key.js';

/** After this many milliseconds of listening all that live have told of themselves, who do so twice a second. */
const HEARD = 1_200;

/** What members are known by. */
interface MembersParts {
  readonly log: CommandLog;
  readonly warn: (text: string) => void;
}

/** The replicas that are asked for what each has alone. */
export class Members {
  #listensSince: number | undefined;

  constructor(
    private readonly peers: Peers,
    private readonly key: ReplicaKey,
    private readonly parts: MembersParts,
  ) {}

  /** It listens to the others from now on, or again. */
  begin(): void {
    this.#listensSince = performance.now();
  }

  /** See `Replication.others`. */
  async others(): Promise<readonly OtherReplica[]> {
    const { log } = this.parts;
    this.#check(log);
    const since = this.#listensSince ?? performance.now();
    const left = since + HEARD - performance.now();
    if (left > 0) await new Promise<void>((resolve) => afterRealTime(left, resolve));
    this.#check(log);
    const asked = await Promise.all(this.peers.known().map((peer) => this.#unlessGone(peer)));
    return asked.flat();
  }

  #check({ isReached, engine }: CommandLog): void {
    if (isReached && this.#listensSince !== undefined) return;
    throw new BacklotError(
      'unavailable',
      `${engine} is not reached, so that it is not known which replicas there are; consistency=local asks this one alone`,
    );
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
