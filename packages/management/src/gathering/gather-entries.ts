import type { EventSink, RouteAnswer } from '@backlot/core/plugin';
import { askAll } from './ask-all.js';
import { Budget } from './budget.js';
import type { Item } from './gathering.js';
import { named } from './named.js';
import { Places } from './places.js';
import type { Passing, Question, Target } from './target.js';

/** What following takes beside the question. */
export interface Followed {
  /** A place of which a reader has told when it came again. */
  readonly resumed: string | undefined;
  /** Those that are there now. */
  readonly targets: () => Promise<readonly Target[]>;
  /** Calls back when others come and go. @returns ends it */
  readonly onMembers: (callback: () => void) => () => void;
  /** The route of the list of entries. */
  readonly list: Question['route'];
  /** Whether it is one log of each replica that is followed, whose entries have numbers. */
  readonly isNumbered: boolean;
}

/**
 * Follows the log entries of all replicas, of those that come later too. The id of each event is the place of the reader in all of them. When
 * one does not go on, the stream ends: who connects again is told why, or goes on where it was.
 *
 * @throws BacklotError `unavailable` that names a replica that does not answer
 */
export async function gatherEntries(question: Question, followed: Followed): Promise<RouteAnswer> {
  const { after, rate, ...query } = question.query;
  const first = await followed.targets();
  const from = followed.resumed ?? after;
  const newest = followed.isNumbered ? await newestOf(question, first, followed.list) : Places.none();
  const places = from === undefined ? newest : Places.read(from, true);
  const start = from === undefined && !followed.isNumbered ? undefined : '0';
  const gathered = new GatheredEvents(followed, places, (target, count) => {
    const place = places.of(target) ?? start;
    const share = rate === undefined ? undefined : Math.max(10, Math.ceil(Number(rate) / count));
    return {
      ...question,
      query: {
        ...query,
        ...(place === undefined ? {} : { after: place }),
        ...(share === undefined ? {} : { rate: String(share) }),
      },
    };
  });
  await gathered.openAll(first);
  return { events: (sink) => gathered.start(sink) };
}

/** The newest entry of each, also of those that no filter lets through: what comes is what comes after them. */
async function newestOf(
  question: Question,
  targets: readonly Target[],
  list: Question['route'],
): Promise<Places> {
  const { space } = question.query;
  const query = { limit: '1', ...(space === undefined ? {} : { space }) };
  const places = Places.none();
  const newest = await askAll(targets, () => ({ ...question, route: list, query }), new Budget());
  for (const { target, body } of newest) {
    const [entry] = body as readonly Item[];
    places.move(target, typeof entry?.['id'] === 'string' ? entry['id'] : '0');
  }
  return places;
}

/** The events of one replica. */
class Source {
  #end: (() => void) | undefined;
  #isOver = false;

  constructor(
    readonly session: string,
    private readonly passing: Passing,
  ) {}

  begin(sink: EventSink, ended: () => void): void {
    if (this.#isOver || this.#end !== undefined) return;
    this.#end = this.passing(sink, ended);
  }

  end(): void {
    this.#isOver = true;
    if (this.#end !== undefined) this.#end();
    // What nobody has begun to read has a connection all the same.
    else this.passing(DEAF, () => undefined)();
  }
}

const DEAF: EventSink = {
  ready: false,
  send: () => undefined,
  comment: () => undefined,
  end: () => undefined,
  onReady: () => undefined,
};

class GatheredEvents {
  readonly #sources = new Map<string, Source>();
  #sink: EventSink | undefined;
  #isOver = false;
  #forget: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly followed: Followed,
    private readonly places: Places,
    private readonly questionFor: (target: Target, count: number) => Question,
  ) {}

  /** Asks all for their events. */
  async openAll(targets: readonly Target[]): Promise<void> {
    try {
      await Promise.all(targets.map((target) => this.#open(target, targets.length)));
    } catch (thrown) {
      this.end();
      throw thrown;
    }
  }

  /** Begins to pass them on. */
  start(sink: EventSink): () => void {
    this.#sink = sink;
    this.#forget = this.followed.onMembers(() => this.#lookAgain());
    this.#lookAgain();
    return () => this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#forget();
    for (const source of this.#sources.values()) source.end();
    this.#sources.clear();
    this.#sink?.end();
  }

  async #open(target: Target, count: number): Promise<void> {
    const source = new Source(target.session, await target.open(this.questionFor(target, count)));
    if (this.#isOver) source.end();
    else this.#sources.set(target.name, source);
  }

  /** One look after the other. */
  #lookAgain(): void {
    this.#looking = this.#looking.then(() => this.#look()).catch(() => this.end());
  }

  /** Opens those that came, and ends those that are missed: who connects again is told why. */
  async #look(): Promise<void> {
    const sink = this.#sink;
    if (this.#isOver || sink === undefined) return;
    const targets = await this.followed.targets();
    for (const target of targets) {
      if (this.#sources.get(target.name)?.session !== target.session) {
        this.#sources.get(target.name)?.end();
        await this.#open(target, targets.length);
      }
      this.#sources.get(target.name)?.begin(this.#sinkOf(target, sink), () => void this.#ended(target));
    }
  }

  #sinkOf(target: Target, sink: EventSink): EventSink {
    return {
      get ready() {
        return sink.ready;
      },
      send: ({ id, event, data }) => {
        if (this.#isOver) return;
        if (id !== undefined) this.places.move(target, id);
        if (event === undefined)
          sink.send({
            ...(id === undefined ? {} : { id: this.places.write() }),
            data: JSON.stringify(named(JSON.parse(data), target)),
          });
        else sink.send({ event, data });
      },
      comment: () => undefined,
      end: () => undefined,
      onReady: (callback) => sink.onReady(callback),
    };
  }

  /** One that has left has nothing more to say; any other is missed. */
  async #ended({ name, session }: Target): Promise<void> {
    if (this.#isOver || this.#sources.get(name)?.session !== session) return;
    this.#sources.delete(name);
    try {
      const targets = await this.followed.targets();
      if (targets.some((target) => target.name === name && target.session === session)) this.end();
    } catch {
      this.end();
    }
  }
}
