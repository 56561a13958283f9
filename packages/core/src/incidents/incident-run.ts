import type { IncidentStage } from '../contract/incident.js';
import type { Clock, Waiting } from '../time/clock.js';
import { parseDuration } from '../time/duration.js';
import type { KindHost } from '../host/kind-host.js';

/** The stages of one kind, and whether they begin again when they are over. */
export interface Course {
  readonly kind: KindHost;
  readonly stages: readonly IncidentStage[];
  readonly repeats: boolean;
}

/** One kind on its way through the stages of an incident. */
export class IncidentRun {
  readonly kind: KindHost;
  readonly #course: Course;
  readonly #clock: Clock;
  readonly #entered: (run: IncidentRun) => void;
  #index = 0;
  #next: Waiting | undefined;

  /** @param entered - told of each stage that begins, the first one included, and of the end of the last */
  constructor(course: Course, clock: Clock, entered: (run: IncidentRun) => void) {
    this.kind = course.kind;
    this.#course = course;
    this.#clock = clock;
    this.#entered = entered;
  }

  /** The stage that it is in; undefined once they are over. */
  get stage(): IncidentStage | undefined {
    return this.#course.stages[this.#index];
  }

  /** The number of the stage, from 1; 0 once they are over. */
  get number(): number {
    return this.stage === undefined ? 0 : this.#index + 1;
  }

  /** @param elapsed - the milliseconds for which it has run already */
  begin(elapsed = 0): void {
    let rest = this.#withinARound(elapsed);
    for (let lasts = this.#lasts; lasts !== undefined && rest >= lasts; lasts = this.#lasts) {
      rest -= lasts;
      this.#goOn();
    }
    const { stage } = this;
    if (stage?.lasts !== undefined)
      this.#next = this.#clock.after(parseDuration(stage.lasts) - rest, () => {
        this.#goOn();
        this.begin();
      });
    this.#entered(this);
  }

  get #lasts(): number | undefined {
    const lasts = this.stage?.lasts;
    return lasts === undefined ? undefined : parseDuration(lasts);
  }

  #goOn(): void {
    const { stages, repeats } = this.#course;
    this.#index = repeats ? (this.#index + 1) % stages.length : this.#index + 1;
  }

  /** Of a time, what is left of it without the rounds that stages which begin again have made. */
  #withinARound(elapsed: number): number {
    const { stages, repeats } = this.#course;
    if (!repeats || elapsed === 0) return elapsed;
    let round = 0;
    for (const { lasts } of stages) round += lasts === undefined ? Infinity : parseDuration(lasts);
    return elapsed % round;
  }

  cancel(): void {
    this.#next?.cancel();
    this.#index = this.#course.stages.length;
  }
}
