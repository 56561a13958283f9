import { describeVerdict, type Check } from '@backlot/core';
import type { RunningServer } from '../server/start-server.js';
import { listUnknown } from '../services/running.js';
import { readInput } from '../client/read-input.js';
import { CommandError } from './command-error.js';
import { formatEntry } from './entry-line.js';
import { Excerpt, type Finding } from './finding.js';
import type { LoadedConfig } from './load-config.js';

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
  const found = new Excerpt();
  for (const entry of entries) found.add(() => [formatEntry(entry)]);
  return found.finding(
    'every message met a mock',
    (count) => `${count === 1 ? '1 message' : `${count} messages`} met no mock:`,
  );
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
