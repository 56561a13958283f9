import type { NewReaction, ReactionCollection, ReactionView, StoredReaction } from '../contract/reaction.js';
import type { WebhookAttempt } from '../contract/webhook.js';
import { BacklotError, invalid, messageOf, problemsIn, type Problem } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import type { IncidentStore } from '../incidents/incident-store.js';
import type { Journal } from '../journal/journal.js';
import type { Log } from '../contract/log.js';
import { MockSurroundings } from '../pipeline/mock-surroundings.js';
import { Scope } from '../pipeline/scope.js';
import type { HostServices } from '../pipeline/runtime.js';
import type { Waiting } from '../time/clock.js';
import { pointTo } from '../validation/pointer.js';
import { ActionQueue } from './action-queue.js';
import { compileReaction, kindsIn } from './compile-reaction.js';
import type { CheckIncident, CompiledAction } from './compile-action.js';
import { doEffect, type EffectTargets } from './do-effect.js';
import {
  connected,
  faultSet,
  received,
  stateSet,
  timeCome,
  webhookEnded,
  type Happening,
} from './happening.js';
import type { Reaction } from './reaction.js';
import { MOST_REACTIONS } from './reaction-schema.js';

/** Reactions that set each other off by what they change here stop at this depth. */
const MOST_DEPTH = 16;

/** A snapshot of the reactions. */
export type SavedReactions = readonly { readonly reaction: Reaction; readonly runs: number }[];

/** What reactions follow and act on. */
export interface ReactionWorld extends EffectTargets {
  readonly kinds: readonly KindHost[];
  readonly journal: Journal;
  readonly services: HostServices;
  readonly incidents: IncidentStore;
  readonly log: Log;
  /** Whether its reactions are checked and never run: what webhooks are sent by is not there yet then. */
  readonly onlyChecks: boolean;
  /** Whether other hosts answer the same clients, so that none sees all that happens. */
  readonly isReplica: boolean;
}

/** The reactions of a host: what happens causes something else, over all kinds. */
export class ReactionStore implements ReactionCollection {
  readonly #world: ReactionWorld;
  readonly #queue: ActionQueue;
  #reactions = new Map<string, Reaction>();
  /** What ends the following of each that is at work. */
  readonly #following = new Map<Reaction, () => void>();
  #isStarted = false;
  /** How deep the change that is being made is in a chain of reactions. */
  #depth = 0;

  constructor(world: ReactionWorld) {
    this.#world = world;
    this.#queue = new ActionQueue(world.services.clock);
  }

  list(): readonly ReactionView[] {
    return Array.from(this.#reactions.values(), (reaction) => reaction.view());
  }

  get(id: string): ReactionView {
    return this.#reactionOf(id).view();
  }

  async check(given: NewReaction): Promise<void> {
    this.#checkAlone();
    await this.#load(given);
    this.#compile(given, given.id);
  }

  async create(given: NewReaction): Promise<ReactionView> {
    this.#checkAlone();
    await this.#load(given);
    return this.#add(given).view();
  }

  async replace(id: string, given: NewReaction): Promise<ReactionView> {
    this.#reactionOf(id);
    await this.#load(given);
    const reaction = this.#compile(given, id);
    this.#leave(this.#reactionOf(id));
    this.#reactions.set(id, reaction);
    this.#follow(reaction);
    return reaction.view();
  }

  /**
   * Compiles reactions that take the place of those with their ids, or are new, and changes nothing yet.
   *
   * @param removed - the ids of those that go
   * @returns takes all of it, in one step, and gives the reactions that were made
   * @throws BacklotError `invalid`
   */
  async prepareAll(
    given: readonly StoredReaction[],
    removed: readonly string[],
  ): Promise<() => readonly Reaction[]> {
    for (const each of given) await this.#load(each);
    const made = given.map((each) => this.#compile(each, each.id));
    const more = given.filter(({ id }) => !this.#reactions.has(id)).length - removed.length;
    if (more > 0 && this.#reactions.size + more > MOST_REACTIONS) throw tooMany();
    return () => {
      for (const id of removed) if (this.#reactions.has(id)) this.remove(id);
      for (const reaction of made) {
        const { id } = reaction.stored;
        const before = this.#reactions.get(id);
        if (before !== undefined) this.#leave(before);
        this.#reactions.set(id, reaction);
        this.#follow(reaction);
      }
      return made;
    };
  }

  remove(id: string): void {
    this.#leave(this.#reactionOf(id));
    this.#reactions.delete(id);
  }

  /** Takes the reactions of a configuration. @returns what is wrong with them */
  take(list: readonly unknown[], base: string): Problem[] {
    return list.flatMap((given, index) => {
      try {
        this.#checkAlone();
        this.#add(given);
        return [];
      } catch (thrown) {
        return problemsIn(thrown, pointTo(base, index));
      }
    });
  }

  /** @throws BacklotError `invalid` where others see a part of what happens */
  #checkAlone(): void {
    if (!this.#world.isReplica) return;
    throw invalid(
      'a reaction follows what happens, of which each replica of a cluster sees a part; reactions are for a single server',
    );
  }

  /** The services run: reactions are at work from now on. */
  start(): void {
    this.#isStarted = true;
    for (const reaction of this.#reactions.values()) this.#follow(reaction);
  }

  stop(): void {
    this.#isStarted = false;
    this.suspend();
  }

  /** Nothing is followed until {@link restore}, and what waits is dropped: what is put back sets nothing off. */
  suspend(): void {
    for (const reaction of this.#reactions.values()) this.#leave(reaction);
    this.#queue.clear();
  }

  /** Follows the connections of a kind anew, whose service is another one now. */
  followAnew(kind: string): void {
    for (const reaction of this.#reactions.values()) {
      const { trigger } = reaction;
      if (trigger.type !== 'connection' || trigger.kind !== kind) continue;
      this.#leave(reaction);
      this.#follow(reaction);
    }
  }

  save(): SavedReactions {
    return Array.from(this.#reactions.values(), (reaction) => ({ reaction, runs: reaction.runs }));
  }

  /** Puts a snapshot back; what waits is dropped, and times count anew. */
  restore(saved: SavedReactions): void {
    this.suspend();
    this.#reactions = new Map(saved.map(({ reaction }) => [reaction.stored.id, reaction]));
    for (const { reaction, runs } of saved) {
      reaction.runs = runs;
      reaction.lastError = undefined;
      this.#follow(reaction);
    }
  }

  async #load(given: unknown): Promise<void> {
    for (const kind of kindsIn(given, this.#world.kinds)) await kind.load();
  }

  #add(given: unknown): Reaction {
    if (this.#reactions.size >= MOST_REACTIONS) throw tooMany();
    const reaction = this.#compile(given, undefined);
    const { id } = reaction.stored;
    if (this.#reactions.has(id))
      throw new BacklotError('conflict', `reaction "${id}" already exists; replace it with PUT`);
    this.#reactions.set(id, reaction);
    this.#follow(reaction);
    return reaction;
  }

  #compile(given: unknown, id: string | undefined): Reaction {
    const { kinds, services, webhooks, onlyChecks } = this.#world;
    const { keys, clock, collections } = services;
    const host = { keys, clock, collections, surroundings: () => new MockSurroundings(services) };
    const checkIncident: CheckIncident = (name, fields) => this.#world.incidents.problemsWith(name, fields);
    const reaction = compileReaction(given, id, kinds, checkIncident, host);
    if (reaction.trigger.type === 'webhook' && webhooks?.onAttempt === undefined && !onlyChecks)
      throw invalid('reaction /on/webhook: webhooks are not sent here, so that none ends');
    return reaction;
  }

  #reactionOf(id: string): Reaction {
    const reaction = this.#reactions.get(id);
    if (reaction === undefined) throw new BacklotError('not_found', `no reaction "${id}"`);
    return reaction;
  }

  #leave(reaction: Reaction): void {
    this.#following.get(reaction)?.();
    this.#following.delete(reaction);
  }

  #follow(reaction: Reaction): void {
    if (!this.#isStarted || !reaction.isAtWork || this.#following.has(reaction)) return;
    this.#following.set(reaction, this.#subscribe(reaction));
  }

  #subscribe(reaction: Reaction): () => void {
    const { kinds, journal, state, faults, webhooks } = this.#world;
    const { trigger } = reaction;
    switch (trigger.type) {
      case 'message': {
        const protocol = kinds.find(({ kind }) => kind === trigger.kind)?.protocol;
        return journal.subscribe({ protocol: trigger.kind }, (item) => {
          const entry = item.render('near_misses');
          if (protocol !== undefined && trigger.fits(entry)) this.#run(reaction, received(protocol, entry));
        });
      }
      case 'state':
        return state.follow((key) => {
          const value = state.get(key);
          if (trigger.fits(key, value)) this.#run(reaction, stateSet(key, value));
        });
      case 'connection':
        return this.#followConnections(reaction, trigger.kind, trigger.event);
      case 'fault':
        return faults.onChange(trigger.kind, () =>
          this.#run(reaction, faultSet(trigger.kind, faults.effective(trigger.kind) !== undefined)),
        );
      case 'webhook':
        return (
          webhooks?.onAttempt?.((attempt: WebhookAttempt) => {
            if (trigger.fits(attempt)) this.#run(reaction, webhookEnded(attempt));
          }) ?? (() => undefined)
        );
      case 'time':
        return this.#followTime(reaction, (after) => trigger.next(after));
    }
  }

  #followConnections(reaction: Reaction, name: string, wanted: 'opened' | 'closed' | undefined): () => void {
    const { kinds } = this.#world;
    const kind = kinds.find((each) => each.kind === name);
    let end: (() => void) | undefined;
    const follow = (): void => {
      end = kind?.service?.followConnections?.((event, remote) => {
        if (wanted === undefined || wanted === event) this.#run(reaction, connected(name, event, remote));
      });
    };
    if (kind?.service !== undefined) follow();
    else
      kind?.services.wake(name).then(
        () => {
          if (this.#following.has(reaction)) follow();
        },
        (thrown: unknown) => this.#fail(reaction, messageOf(thrown)),
      );
    return () => end?.();
  }

  #followTime(reaction: Reaction, next: (after: number) => number | undefined): () => void {
    const { clock } = this.#world.services;
    let waiting: Waiting | undefined;
    const wait = (last: number): void => {
      const time = next(last);
      if (time === undefined) return;
      waiting = clock.after(Math.max(0, time - clock.now()), () => {
        // A clock that was set back comes to that time once more.
        const come = Math.max(time, clock.now());
        this.#run(reaction, timeCome(come));
        if (reaction.isAtWork) wait(come);
      });
    };
    wait(clock.now());
    return () => waiting?.cancel();
  }

  #run(reaction: Reaction, happening: Happening): void {
    if (!reaction.isAtWork) return;
    const { id } = reaction.stored;
    const depth = this.#depth + 1;
    if (depth > MOST_DEPTH) {
      this.#fail(reaction, `it is the ${MOST_DEPTH + 1}th reaction in a chain, and nothing was done`);
      return;
    }
    reaction.runs += 1;
    if (!reaction.isAtWork) this.#leave(reaction);
    const { services } = this.#world;
    const scope = new Scope(services, happening.message, () => happening.params, [
      'reactions',
      id,
      reaction.runs,
    ]);
    for (const [index, action] of reaction.actions.entries()) {
      try {
        this.#queue.add(action.after, () => this.#act(reaction, index, action, scope, happening, depth));
      } catch (thrown) {
        this.#fail(reaction, `do ${index}: ${messageOf(thrown)}`);
      }
    }
  }

  #act(
    reaction: Reaction,
    index: number,
    { effect }: CompiledAction,
    scope: Scope,
    { logId }: Happening,
    depth: number,
  ): void {
    const before = this.#depth;
    this.#depth = depth;
    const fail = (thrown: unknown): void => this.#fail(reaction, `do ${index}: ${messageOf(thrown)}`);
    try {
      const doing = doEffect(effect, this.#world, scope, reaction.stored.id, logId);
      if (doing instanceof Promise) doing.catch(fail);
    } catch (thrown) {
      fail(thrown);
    } finally {
      this.#depth = before;
    }
  }

  #fail(reaction: Reaction, text: string): void {
    reaction.lastError = text;
    this.#world.log.warn(`reaction "${reaction.stored.id}": ${text}`);
  }
}

function tooMany(): BacklotError {
  return new BacklotError('invalid', `there are ${MOST_REACTIONS} reactions already, which is the most`);
}
