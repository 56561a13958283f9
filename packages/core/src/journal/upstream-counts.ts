import { RECORDED_ID, type UpstreamNote } from '../contract/upstream.js';

/** What is counted of an exchange. */
interface Counted {
  readonly upstream: UpstreamNote | undefined;
  readonly matchedId: string | undefined;
  readonly missed: boolean;
}

/** What became of the messages of a kind with an upstream, since the host was made; a reset does not set it back. */
export class UpstreamCounts {
  /** Messages that the upstream has answered. */
  passed = 0;
  /** Those of them that became mocks. */
  recorded = 0;
  /** Messages that a recording has answered. */
  replayed = 0;
  /** Messages that nobody has answered. */
  missed = 0;
  /** Answers of mocks that were compared with those of the upstream. */
  compared = 0;
  /** Those of them that the upstream would have given otherwise. */
  differing = 0;

  /** Counts an exchange that has ended. */
  add({ upstream, matchedId, missed }: Counted): void {
    if (upstream?.answered === true) {
      this.passed += 1;
      if (upstream.recorded_id !== undefined) this.recorded += 1;
    } else if (matchedId?.startsWith(RECORDED_ID) === true) this.replayed += 1;
    if (missed) this.missed += 1;
    if (upstream?.differences === undefined) return;
    this.compared += 1;
    if (upstream.differences.length > 0) this.differing += 1;
  }
}
