// What clients of a cluster were answered, and whether that can be true.

/** For how many milliseconds an increment whose answer was lost may still be made, by a replica that was paused with it. */
const LATE = 30_000;

/** What a replica has received: its requests are in its log while it lives. */
export class Received {
  /** Those that were answered. */
  certain = 0;
  /** Whether its process ends, so that nobody will be told of them. */
  isLost = false;
  /** Those of which nothing is known: the answer was cut off, or did not come in time. */
  unknown = 0;
}

/** What is known of something that was counted on. */
export class Steps {
  /** The numbers that were given. @type {number[]} */
  given = [];
  /** Requests of which it is not known whether they were counted. */
  unknown = 0;

  /**
   * Why they are not those of one count.
   *
   * @param {string} name
   * @returns {string[]}
   */
  problems(name) {
    const { given, unknown } = this;
    const sorted = given.toSorted((a, b) => a - b);
    const twice = sorted.filter((number, index) => number === sorted[index - 1]);
    const left = (sorted.at(-1) ?? 0) - new Set(sorted).size;
    return [
      ...(twice.length > 0 ? [`${name}: given twice: ${twice.slice(0, 10).join(', ')}`] : []),
      ...(left > unknown ? [`${name}: ${left} left out, and only ${unknown} answers are not known`] : []),
    ];
  }
}

/** All that clients know. */
export class History {
  /** What mocks must be there, by id. @type {Map<string, 'there' | 'gone' | 'unknown'>} */
  fates = new Map();
  /** The sequences: of `seq`, of a mock that counts in the state, and of rows that are made and taken. @type {Record<'seq' | 'state' | 'made' | 'taken', Steps>} */
  steps = { seq: new Steps(), state: new Steps(), made: new Steps(), taken: new Steps() };
  /** How often each of three answers in turns was given. */
  turns = { a: 0, b: 0, c: 0, unknown: 0 };
  /** Changes of one number with If-Match. */
  counter = { certain: 0, unknown: 0 };
  /** What one client was told by a store that counts, in its order; undefined where nothing is known. `at` is when it asked. @type {{ at: number, number: number | undefined }[]} */
  stored = [];
  /** @type {Map<string, number>} */
  statuses = new Map();
  /** @type {string[]} */
  problems = [];

  /** @param {string} what @param {number} status */
  note(what, status) {
    const key = `${what} ${status}`;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
  }

  /** What there was to be checked. @returns {string} */
  describe() {
    const there = [...this.fates.values()].filter((fate) => fate !== 'unknown').length;
    const { turns, counter, stored } = this;
    const steps = Object.entries(this.steps).map(([name, { given }]) => `${given.length} ${name}`);
    const unknown = Object.values(this.steps).reduce((sum, each) => sum + each.unknown, turns.unknown);
    return [
      `${there} mocks and ${counter.certain} conditional changes that were acknowledged are there or gone as they must`,
      `no step was given twice or left out of ${steps.join(', ')} and ${turns.a + turns.b + turns.c} turns, with ${unknown} answers not known`,
      `${stored.filter(({ number }) => number !== undefined).length} answers of the store are those of one home at a time`,
    ].join('; ');
  }

  /**
   * Why the store cannot have had one home at a time.
   *
   * @param {boolean} hasCopies whether the next home begins with a copy, which may be one of an earlier home than the last
   * @param {number} troubles how often a home may have been lost
   * @returns {string[]}
   */
  storeProblems(hasCopies, troubles) {
    let last = 0;
    let highest = 0;
    let homes = 0;
    /** When increments were asked for that may still be made: a replica that was paused passes them on when it goes on. @type {number[]} */
    let open = [];
    for (const { at, number } of this.stored) {
      open = open.filter((asked) => asked > at - LATE);
      if (number === undefined) {
        open.push(at);
        continue;
      }
      const between = number - last - 1;
      const isNext = between >= 0 && between <= open.length;
      // A home that begins anew has what was asked since the last one answered.
      const isAnew = number <= (hasCopies ? highest : 0) + 1 + open.length;
      if (!isNext && !isAnew)
        return [`the store told ${number} after ${last}, with ${open.length} not known`];
      if (isNext) open.splice(0, between);
      else homes += 1;
      last = number;
      highest = Math.max(highest, number);
    }
    // Two homes at a time would answer in turn.
    return homes > troubles
      ? [`the store began anew ${homes} times, and there were ${troubles} troubles`]
      : [];
  }

  /** What cannot be true of all that was given, once all is at rest. @returns {string[]} */
  stepProblems() {
    const { a, b, c, unknown } = this.turns;
    const spread = Math.max(a, b, c) - Math.min(a, b, c);
    // Of three in turns none can be ahead of another but by one, and by those whose answers were lost.
    const uneven = spread > 1 + unknown ? [`turns: ${a}, ${b} and ${c}, with ${unknown} not known`] : [];
    const taken = new Set(this.steps.taken.given);
    const twice = taken.size === this.steps.taken.given.length ? [] : ['taken: a row was taken twice'];
    return [
      ...this.steps.seq.problems('seq'),
      ...this.steps.state.problems('state'),
      ...this.steps.made.problems('made'),
      ...twice,
      ...uneven,
    ];
  }
}
