import type { Check, Host, JournalEntry, MessagesElsewhere } from '@backlot/core';
import { afterRealTime, type EventSink, type RouteAnswer, type Waiting } from '@backlot/core/plugin';
import { askAll } from './ask-all.js';
import { inTurn } from './budget.js';
import { gatherEntries, type Followed } from './gather-entries.js';
import { gatherList } from './gather-list.js';
import type { GatheredList } from './gathering.js';
import { named } from './named.js';
import { Places } from './places.js';
import type { Question, Target } from './target.js';

/** Entries of one answer. */
const PAGE = 200;
/** Entries that come within so many milliseconds are read together. */
const GATHERED = 20;

/** What a check of all replicas takes beside the question. */
export interface Checked extends Omit<Followed, 'resumed' | 'isNumbered'> {
  readonly acting: Host;
  /** The route of the stream of entries. */
  readonly stream: Question['route'];
  readonly entries: GatheredList;
}

/** Looks at the messages of all replicas, and waits for more. */
export async function gatherCheck(question: Question, checked: Checked): Promise<RouteAnswer> {
  const { after, ...check } = question.body as Check;
  const messages = new MessagesOfAll(question, checked, after);
  return { body: await checked.acting.verify(check, question.signal, messages) };
}

class MessagesOfAll implements MessagesElsewhere {
  readonly #question: Question;
  readonly #checked: Checked;
  readonly #places: Places;
  readonly #start: string;
  #stream: (() => void) | undefined;
  #isOpening = false;
  #isOver = false;
  #wake: () => void = () => undefined;
  #gathering: Waiting | undefined;
  /** What opening the stream has thrown. */
  #failure: { readonly thrown: unknown } | undefined;

  constructor(question: Question, checked: Checked, after: string | undefined) {
    this.#question = { ...question, route: checked.list, body: undefined, query: {} };
    this.#checked = checked;
    this.#start = after ?? '0';
    this.#places = Places.read(this.#start, true);
  }

  async *read(kinds: ReadonlySet<string>): AsyncGenerator<readonly JournalEntry[]> {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    for (const target of await this.#checked.targets()) yield* this.#readOne(target, kinds);
  }

  async *#readOne(target: Target, kinds: ReadonlySet<string>): AsyncGenerator<readonly JournalEntry[]> {
    const [protocol] = kinds;
    const kind = kinds.size === 1 && protocol !== undefined ? { protocol } : {};
    for (;;) {
      const query = { ...kind, limit: String(PAGE), after: this.#places.of(target) ?? '0' };
      const page = await inTurn(async (budget) => {
        const [answer] = await askAll([target], () => ({ ...this.#question, query }), budget);
        return answer?.body as readonly JournalEntry[];
      });
      const last = page.at(-1);
      if (last !== undefined) this.#places.move(target, last.id);
      yield page.filter((entry) => kinds.has(entry.protocol)).map((entry) => named(entry, target) as never);
      if (page.length < PAGE) return;
    }
  }

  async newest(protocol: string, most: number): Promise<readonly JournalEntry[]> {
    const query = { protocol, limit: String(most), ...(this.#start === '0' ? {} : { after: this.#start }) };
    const question = { ...this.#question, query };
    const { answer } = await gatherList(question, this.#checked.entries, await this.#checked.targets());
    return (answer as { readonly body: readonly JournalEntry[] }).body;
  }

  listen(look: () => void): () => void {
    this.#wake = look;
    void this.#follow();
    return () => void (this.#wake = () => undefined);
  }

  end(): void {
    this.#isOver = true;
    this.#gathering?.cancel();
    this.#stream?.();
  }

  /** Follows the entries of all, which only say that there is something to read. */
  async #follow(): Promise<void> {
    if (this.#stream !== undefined || this.#isOpening) return;
    this.#isOpening = true;
    const question = { ...this.#question, route: this.#checked.stream, query: { rate: '10' } };
    try {
      const answer = await gatherEntries(question, {
        ...this.#checked,
        resumed: this.#places.write(),
        isNumbered: true,
      });
      if ('events' in answer) this.#stream = answer.events(this.#sink());
      if (this.#isOver) this.#stream?.();
    } catch (thrown) {
      this.#failure = { thrown };
      this.#tell();
    }
    this.#isOpening = false;
  }

  #sink(): EventSink {
    return {
      ready: true,
      send: () => this.#tell(),
      comment: () => undefined,
      end: () => {
        this.#stream = undefined;
        this.#tell();
      },
      onReady: () => undefined,
    };
  }

  #tell(): void {
    if (this.#isOver) return;
    this.#gathering ??= afterRealTime(GATHERED, () => {
      this.#gathering = undefined;
      this.#wake();
    });
  }
}
