import { afterRealTime, type Waiting } from '@backlot/core/plugin';
import type { CommandLog } from './log.js';
import { Outcomes, type Peers, type Told } from './peers.js';

/** How often a replica tells of itself, in milliseconds. */
const BEAT = 500;
const TOLD_OUTCOMES = 50;

/** What a replica tells of itself with. */
export interface TellingParts {
  readonly name: string;
  readonly session: string;
  readonly log: CommandLog;
  readonly peers: Peers;
  /** Is told what people should know. */
  readonly warn: (text: string) => void;
  /** What it says of itself now. */
  readonly own: () => Omit<Told, 'from' | 'session' | 'outcomes' | 'count' | 'leaves'>;
  /** It has heard what it has told itself, by its number. */
  readonly heardOwn: (count: number) => void;
  /** It has heard another one. */
  readonly heard: () => void;
  /** Another process has its name, and is younger. */
  readonly replaced: () => void;
}

/** Tells the other replicas of this one, and hears them. */
export class Telling {
  readonly #parts: TellingParts;
  readonly #outcomes = new Outcomes();
  /** The changes of which it has said that they were answered otherwise elsewhere. */
  readonly #reported = new Set<number>();
  #count = 0;
  #beat: Waiting | undefined;
  #isEnded = false;

  constructor(parts: TellingParts) {
    this.#parts = parts;
  }

  /** Tells of itself twice a second from now on. @param after - called each time */
  begin(after: () => void): void {
    this.#beat = afterRealTime(BEAT, () => {
      this.begin(after);
      this.tell();
      after();
    });
  }

  /** @returns the number of what was told */
  tell(): number {
    return this.#tell(TOLD_OUTCOMES);
  }

  /** Tells that it has made a change: of those before it was told, and is told again twice a second. */
  made(revision: number, status: number): void {
    this.#outcomes.add(revision, status);
    this.#tell(1);
  }

  /** Says that it leaves, and tells nothing more. */
  leave(): void {
    this.#isEnded = true;
    this.#beat?.cancel();
    this.#parts.log.tell(JSON.stringify({ ...this.#own(TOLD_OUTCOMES), leaves: true } satisfies Told));
  }

  /** Takes what a replica has told, perhaps this one. */
  hear(text: string): void {
    const { name, session, peers, heardOwn, heard, replaced } = this.#parts;
    const told = JSON.parse(text) as Told;
    if (told.from !== name) {
      this.#compare(told);
      // Who came hears of the others at once.
      if (peers.hear(told)) this.tell();
      heard();
    } else if (told.session === session) {
      heardOwn(told.count);
    } else if (told.session > session && told.leaves !== true) {
      replaced();
    }
  }

  /** @param outcomes - how many of the newest it tells the outcomes of */
  #tell(outcomes: number): number {
    this.#count += 1;
    if (!this.#isEnded) this.#parts.log.tell(JSON.stringify(this.#own(outcomes)));
    return this.#count;
  }

  #own(outcomes: number): Told {
    const { name, session, own } = this.#parts;
    return {
      ...{ from: name, session },
      ...own(),
      outcomes: this.#outcomes.newest(outcomes),
      count: this.#count,
    };
  }

  #compare(told: Told): void {
    for (const { revision, here, there } of this.#outcomes.differing(told)) {
      if (this.#reported.has(revision)) continue;
      this.#reported.add(revision);
      this.#parts.warn(
        `revision ${revision} was answered ${here} here and ${there} by the replica "${told.from}"`,
      );
    }
  }
}
