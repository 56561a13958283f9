import { messageOf } from '@backlot/core/plugin';
import { WildcardIndex, type WildcardSyntax } from '@backlot/kit/wildcards';
import { show, StompError } from '../wire/stomp-error.js';
import type { Subscription } from './subscription.js';
import { patternOf, TOPIC_SYNTAXES, type WildcardStyle } from './wildcards.js';

/** What wildcards are for: the words behind this. */
const PREFIX = '/topic/';

/** Words of all destinations with wildcards, and those of them behind a wildcard for many words. */
const MAX_WORDS = 100_000;
const MAX_DEEP_WORDS = 20_000;
/** Words that a search can look at within a moment. */
const FEW_WORDS = 1000;
const NOBODY: ReadonlySet<Subscription> = new Set();

/** Who is subscribed to topics: by their names, or by destinations with wildcards. */
export class Topics {
  readonly #exact = new Map<string, Set<Subscription>>();
  readonly #syntax: WildcardSyntax | undefined;
  #wild: WildcardIndex<Subscription> | undefined;

  constructor(style: WildcardStyle) {
    this.#syntax = TOPIC_SYNTAXES[style];
  }

  /** Whether finding who gets a message may take long: then {@link findInSteps}. */
  get isCostly(): boolean {
    return (this.#wild?.words ?? 0) > FEW_WORDS;
  }

  /** @throws StompError when there is no room for its wildcards, or they stand where they may not */
  add(subscription: Subscription): void {
    const { destination } = subscription;
    const pattern = patternOf(destination, PREFIX, this.#syntax);
    if (pattern !== undefined) {
      this.#addWild(pattern, subscription);
      return;
    }
    const topic = this.#exact.get(destination);
    if (topic === undefined) this.#exact.set(destination, new Set([subscription]));
    else topic.add(subscription);
  }

  delete(subscription: Subscription): void {
    const { destination } = subscription;
    const topic = this.#exact.get(destination);
    if (topic?.delete(subscription) === true && topic.size === 0) this.#exact.delete(destination);
    const pattern = patternOf(destination, PREFIX, this.#syntax);
    if (pattern === undefined || this.#wild === undefined) return;
    this.#wild.remove(pattern, subscription);
    if (this.#wild.size === 0) this.#wild = undefined;
  }

  /** Who gets what is sent there. */
  find(destination: string): ReadonlySet<Subscription> {
    const exact = this.#exact.get(destination) ?? NOBODY;
    if (this.#wild === undefined || !destination.startsWith(PREFIX)) return exact;
    return new Set([...exact, ...this.#wild.match(destination.slice(PREFIX.length))]);
  }

  /** {@link find} in steps between which others may be let in. */
  *findInSteps(destination: string): Generator<undefined, ReadonlySet<Subscription>> {
    const exact = this.#exact.get(destination) ?? NOBODY;
    if (this.#wild === undefined || !destination.startsWith(PREFIX)) return exact;
    const found = yield* this.#wild.matchInSteps(destination.slice(PREFIX.length));
    return new Set([...exact, ...found]);
  }

  #addWild(pattern: string, subscription: Subscription): void {
    if (this.#syntax === undefined) return;
    const index = (this.#wild ??= new WildcardIndex(this.#syntax));
    try {
      index.add(pattern, subscription);
    } catch (thrown) {
      throw new StompError(
        'bad destination',
        `the wildcards of ${show(subscription.destination)} are not valid: ${messageOf(thrown)}`,
      );
    }
    if (index.words <= MAX_WORDS && index.deepWords <= MAX_DEEP_WORDS) return;
    this.delete(subscription);
    throw new StompError(
      'too many subscriptions',
      `destinations with wildcards have ${MAX_WORDS} words at most, ${MAX_DEEP_WORDS} of them behind one for many words`,
    );
  }
}
