import { RECORDED_ID, type Host, type JournalItem, type Kind, type UpstreamMode } from '@backlot/core';
import { formatEntry } from './entry-line.js';
import { Excerpt, type Finding } from './finding.js';
import { FollowedWorlds } from './followed-worlds.js';

/** The settings of kinds, by which it is known what they do with their upstream. */
export type KindSettings = Readonly<Record<string, unknown>> | undefined;

/**
 * Follows what kinds in the modes `replay` and `diff` receive, in the main world and in spaces. It is noted as it happens: a reset, a
 * clear, the bound of the log or the end of a space takes it out of the log again.
 */
export class UpstreamWatch {
  readonly #host: Host;
  readonly #replays: readonly Replay[];
  readonly #comparisons: readonly Comparison[];
  readonly #worlds: FollowedWorlds | undefined;

  /** @param unknownIds - mocks that answer what no other one does: a message that met one of them has met none */
  constructor(host: Host, settings: KindSettings, unknownIds: ReadonlySet<string> = new Set()) {
    this.#host = host;
    this.#replays = kindsIn(host, settings, 'replay').map((kind) => new Replay(kind, unknownIds));
    this.#comparisons = kindsIn(host, settings, 'diff').map((kind) => new Comparison(kind.kind));
    if (this.#replays.length + this.#comparisons.length > 0)
      this.#worlds = new FollowedWorlds(host, (world) => this.#follow(world));
  }

  /** What there is to say by now. */
  findings(): readonly Finding[] {
    const worlds = [this.#host, ...this.#host.spaces.list().map(({ host }) => host)];
    return [
      ...this.#replays.flatMap((replay) => replay.findings(worlds)),
      ...this.#comparisons.map((comparison) => comparison.finding()),
    ];
  }

  /** Follows no longer. */
  stop(): void {
    this.#worlds?.stop();
  }

  #follow({ journal }: Host): readonly (() => void)[] {
    return [
      ...this.#replays.flatMap((replay) => [
        journal.subscribe({ protocol: replay.kind, unmatched: true }, (item) => replay.miss(item)),
        journal.subscribe({ protocol: replay.kind, unmatched: false }, (item) => replay.use(item)),
      ]),
      ...this.#comparisons.map((comparison) =>
        journal.subscribe({ protocol: comparison.kind, unmatched: false }, (item) => comparison.add(item)),
      ),
    ];
  }
}

/** What a kind that replays was asked for. */
class Replay {
  readonly kind: string;
  readonly #isQuiet: boolean;
  readonly #unknownIds: ReadonlySet<string>;
  readonly #unused: Set<string>;
  readonly #missed = new Excerpt();

  constructor({ kind, protocol, mocks }: Kind, unknownIds: ReadonlySet<string>) {
    this.kind = kind;
    this.#isQuiet =
      protocol.mocks.quietWhenUnmatched === true && protocol.recording?.refusesUnrecorded !== true;
    this.#unknownIds = unknownIds;
    const ids = mocks.list().map(({ id }) => String(id));
    this.#unused = new Set(ids.filter((id) => id.startsWith(RECORDED_ID)));
  }

  miss(item: JournalItem): void {
    if (!this.#isQuiet) this.#missed.add(() => [formatEntry(item.render())]);
  }

  use(item: JournalItem): void {
    const { matched_id: id = '' } = item.render('bodies');
    this.#unused.delete(id);
    if (this.#unknownIds.has(id)) this.miss(item);
  }

  /** @param worlds - whose counts are looked at as well: what is under way is not in the log, and the log names one mock of several */
  findings(worlds: readonly Host[]): readonly Finding[] {
    for (const world of worlds)
      for (const [id, count] of world.kind(this.kind).calls.counts()) if (count > 0) this.#unused.delete(id);
    const unused = new Excerpt();
    for (const id of this.#unused) unused.add(() => [id]);
    return [
      this.#missed.finding(
        `${this.kind}: every message was recorded`,
        (count) => `${this.kind}: ${count === 1 ? '1 message was' : `${count} messages were`} not recorded:`,
      ),
      unused.finding(
        `${this.kind}: every recording was used`,
        (count) => `${this.kind}: nobody used ${count === 1 ? '1 recording' : `${count} recordings`}:`,
      ),
    ];
  }
}

/** Where the upstream of a kind answered otherwise than its mocks. */
class Comparison {
  readonly kind: string;
  readonly #different = new Excerpt();
  #compared = 0;

  constructor(kind: string) {
    this.kind = kind;
  }

  add(item: JournalItem): void {
    const entry = item.render('bodies');
    const differences = entry.upstream?.differences;
    if (differences === undefined) return;
    this.#compared += 1;
    if (differences.length > 0)
      this.#different.add(() => [formatEntry(entry), ...differences.map((difference) => `  ${difference}`)]);
  }

  finding(): Finding {
    const name = `${this.kind}: the upstream answers as the mocks do (${this.#compared} compared)`;
    // That nothing was compared is no proof.
    if (this.#compared === 0)
      return { name, problems: [`${this.kind}: nothing was compared, since no mock has answered a message`] };
    return this.#different.finding(name, (count) => {
      const what = count === 1 ? '1 message' : `${count} messages`;
      return `${this.kind}: the upstream answers ${what} of ${this.#compared} otherwise than the mocks:`;
    });
  }
}

function kindsIn(host: Host, settings: KindSettings, mode: UpstreamMode): readonly Kind[] {
  return host.kinds.filter(({ enabled, kind }) => {
    const block = settings?.[kind] as { readonly upstream?: { readonly mode?: string } } | undefined;
    return enabled && block?.upstream?.mode === mode;
  });
}
