import { describeVerdict, type Check, type UpstreamMode } from '@backlot/core';
import type { RunningServer } from '../server/start-server.js';
import { listUnknown } from '../services/running.js';
import { readInput } from '../client/read-input.js';
import { CommandError } from './command-error.js';
import { formatEntry } from './entry-line.js';
import type { LoadedConfig } from './load-config.js';

const MAX_LISTED = 50;

/** One thing that was looked at after the command of `backlot run` has ended. */
export interface Finding {
  /** What was looked at. */
  readonly name: string;
  /** What is wrong, a line each; none when all is well. */
  readonly problems: readonly string[];
}

/**
 * Reads the check of `--verify`, before anything runs.
 *
 * @throws CommandError when the file is not there or holds no check that this server understands
 */
export async function readCheck(file: string, { host }: RunningServer): Promise<Check> {
  const check = (await readInput(file, 'check')) as Check;
  try {
    // Nothing has been received yet: this only says whether it is a check.
    const { within: _within, stays: _stays, ...now } = check;
    await host.verify(now);
  } catch (thrown) {
    throw new CommandError(`${file}: ${(thrown as Error).message}`);
  }
  return check;
}

/** Says which messages met no mock. */
export function findUnmatched({ host }: RunningServer, services: LoadedConfig['services']): Finding {
  const unmatched = host.kinds
    .filter(({ enabled, protocol }) => enabled && protocol.mocks.quietWhenUnmatched !== true)
    .flatMap(({ kind }) => host.journal.list({ protocol: kind, unmatched: true }));
  const entries = [...unmatched, ...listUnknown(services, host)];
  const name = 'every message met a mock';
  if (entries.length === 0) return { name, problems: [] };
  const problems = [`${entries.length === 1 ? '1 message' : `${entries.length} messages`} met no mock:`];
  for (const entry of entries.slice(0, MAX_LISTED)) problems.push(`  ${formatEntry(entry)}`);
  if (entries.length > MAX_LISTED) problems.push(`  and ${entries.length - MAX_LISTED} more`);
  return { name, problems };
}

/** Says whether what was expected was received. */
export async function findUnverified({ host }: RunningServer, check: Check): Promise<readonly Finding[]> {
  const verdict = await host.verify(check);
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

/** Says what a replay has lacked, and which of its recordings nobody used. */
export function findReplayed({ host }: RunningServer, settings: Settings): readonly Finding[] {
  return kindsIn(host, settings, 'replay').flatMap(({ kind, mocks, calls, protocol }) => {
    const missed =
      protocol.mocks.quietWhenUnmatched === true
        ? []
        : host.journal.list({ protocol: kind, unmatched: true });
    const unused = mocks
      .list()
      .map(({ id }) => String(id))
      .filter((id) => calls.of(id).count === 0);
    return [
      listing(
        `${kind}: every message was recorded`,
        missed.map((entry) => formatEntry(entry)),
        (count) => `${kind}: ${count === 1 ? '1 message was' : `${count} messages were`} not recorded:`,
      ),
      listing(
        `${kind}: every recording was used`,
        unused,
        (count) => `${kind}: nobody used ${count === 1 ? '1 recording' : `${count} recordings`}:`,
      ),
    ];
  });
}

/** Says where an upstream answers otherwise than the mocks. */
export function findDifferences({ host }: RunningServer, settings: Settings): readonly Finding[] {
  return kindsIn(host, settings, 'diff').map(({ kind }) => {
    const compared = host.journal.list({ protocol: kind }).filter((entry) => entry.upstream?.differences);
    const different = compared.filter((entry) => entry.upstream?.differences?.length !== 0);
    const lines = different.flatMap((entry) => [
      formatEntry(entry),
      ...(entry.upstream?.differences ?? []).map((difference) => `  ${difference}`),
    ]);
    const name = `${kind}: the upstream answers as the mocks do (${compared.length} compared)`;
    // That nothing was compared is no proof.
    if (compared.length === 0)
      return { name, problems: [`${kind}: nothing was compared, since no mock has answered a message`] };
    return listing(name, lines, () => {
      const what = different.length === 1 ? '1 message' : `${different.length} messages`;
      return `${kind}: the upstream answers ${what} of ${compared.length} otherwise than the mocks:`;
    });
  });
}

/** The settings of kinds, by which it is known what they do with their upstream. */
type Settings = Readonly<Record<string, unknown>> | undefined;

function kindsIn(
  host: RunningServer['host'],
  settings: Settings,
  mode: UpstreamMode,
): RunningServer['host']['kinds'] {
  return host.kinds.filter(({ enabled, kind }) => {
    const block = settings?.[kind] as { readonly upstream?: { readonly mode?: string } } | undefined;
    return enabled && block?.upstream?.mode === mode;
  });
}

function listing(name: string, lines: readonly string[], head: (count: number) => string): Finding {
  if (lines.length === 0) return { name, problems: [] };
  const more = lines.length - MAX_LISTED;
  return {
    name,
    problems: [
      head(lines.length),
      ...lines.slice(0, MAX_LISTED).map((line) => `  ${line}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ],
  };
}
