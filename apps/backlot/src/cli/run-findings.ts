import { describeVerdict, type BegunCheck, type Check, type Host, type JournalItem } from '@backlot/core';
import type { RunningServer } from '../server/start-server.js';
import { readInput } from '../client/read-input.js';
import { CommandError } from './command-error.js';
import { formatEntry } from './entry-line.js';
import { Excerpt, type Finding } from './finding.js';
import { FollowedWorlds } from './followed-worlds.js';

/**
 * Reads the check of `--verify`, before anything runs, and begins to look at what comes.
 *
 * @throws CommandError when the file is not there or holds no check that this server understands
 */
export async function beginCheck(file: string, { host }: RunningServer): Promise<GivenCheck> {
  const check = (await readInput(file, 'check')) as Check;
  try {
    return { check, begun: await host.beginCheck(check) };
  } catch (thrown) {
    throw new CommandError(`${file}: ${(thrown as Error).message}`);
  }
}

/** A check with what looks at the messages for it. */
export interface GivenCheck {
  readonly check: Check;
  readonly begun: BegunCheck;
}

/** Notes which messages meet no mock, as they come: a reset, a clear or the bound of the log takes them out of the log again. */
export class UnmatchedWatch {
  readonly #kinds: readonly string[];
  readonly #unknownIds: ReadonlySet<string>;
  readonly #found = new Excerpt();
  readonly #worlds: FollowedWorlds;

  /** @param unknownIds - mocks that answer what no other one does: a message that met one of them has met none */
  constructor(host: Host, unknownIds: ReadonlySet<string>) {
    this.#unknownIds = unknownIds;
    this.#kinds = host.kinds
      .filter(({ enabled, protocol }) => enabled && protocol.mocks.quietWhenUnmatched !== true)
      .map(({ kind }) => kind);
    this.#worlds = new FollowedWorlds(host, (world) => this.#follow(world));
  }

  finding(): Finding {
    return this.#found.finding(
      'every message met a mock',
      (count) => `${count === 1 ? '1 message' : `${count} messages`} met no mock:`,
    );
  }

  /** Follows no longer. */
  stop(): void {
    this.#worlds.stop();
  }

  #follow({ journal }: Host): readonly (() => void)[] {
    const add = (item: JournalItem): void => this.#found.add(() => [formatEntry(item.render())]);
    const ends = this.#kinds.map((protocol) => journal.subscribe({ protocol, unmatched: true }, add));
    if (this.#unknownIds.size > 0)
      ends.push(
        journal.subscribe({ unmatched: false }, (item) => {
          if (this.#unknownIds.has(item.render('bodies').matched_id ?? '')) add(item);
        }),
      );
    return ends;
  }
}

/** Says whether what was expected was received. */
export async function findUnverified({ check, begun }: GivenCheck): Promise<readonly Finding[]> {
  const verdict = await begun.verdict();
  const { expectations, unexpected_count: others = 0, ...rest } = verdict;
  const findings = expectations.map((expectation, place) => {
    const given = check.expect[place];
    const expect = given === undefined ? [] : [given];
    const [first = '', ...more] = describeVerdict(expect, {
      verified: expectation.verified,
      looked_at: rest.looked_at,
      expectations: [expectation],
    });
    const name = first.replace(/^\w+ +/, '');
    return { name, problems: more.length === 0 ? [] : [`not as expected: ${name}`, ...more] };
  });
  if (check.nothing_else === undefined) return findings;
  const name = `nothing else of ${check.nothing_else.join(', ')}`;
  const lines = describeVerdict([], { ...rest, expectations: [], unexpected_count: others });
  return [
    ...findings,
    { name, problems: others === 0 ? [] : [`not as expected: ${name}`, ...lines.slice(1)] },
  ];
}
