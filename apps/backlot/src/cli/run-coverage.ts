import { writeFile } from 'node:fs/promises';
import type { ContractCoverage, Host } from '@backlot/core';
import { CommandError } from './command-error.js';
import { note } from './output.js';

/** Operations that are named which nothing has touched. */
const MOST_NAMED = 50;

/**
 * Says on standard error what was touched of the contracts, and what was not.
 *
 * @param file - takes the whole report as JSON; absent for none
 * @throws CommandError when the file cannot be written, or no protocol has a contract
 */
export async function reportCoverage(host: Host, file: string | undefined): Promise<void> {
  const all = host.kinds.flatMap(({ contract }) => (contract === undefined ? [] : [contract.coverage()]));
  if (all.length === 0)
    throw new CommandError(
      'no protocol that runs has a contract; give one a file, as in contract: { file: openapi.yaml, mode: warn }',
    );
  for (const coverage of all) for (const line of describe(coverage)) note(line);
  if (file === undefined) return;
  try {
    await writeFile(file, `${JSON.stringify(all, null, 2)}\n`);
  } catch (thrown) {
    throw new CommandError(`the coverage cannot be written: ${(thrown as Error).message}`);
  }
}

function describe({
  protocol,
  operations,
  answers,
  violations,
  unknown,
  list,
}: ContractCoverage): readonly string[] {
  const untouched = list.filter(({ requests }) => requests === 0);
  const broken = violations.requests + violations.answers + unknown;
  return [
    `coverage of ${protocol}: ${operations.touched} of ${operations.total} operations, ${answers.touched} of ${answers.total} answers`,
    ...(broken === 0
      ? []
      : [
          `  broken by ${violations.requests} messages and ${violations.answers} answers; ${unknown} messages were of no operation`,
        ]),
    ...untouched.slice(0, MOST_NAMED).map(({ name }) => `  not touched: ${name}`),
    ...(untouched.length > MOST_NAMED ? [`  and ${untouched.length - MOST_NAMED} more`] : []),
  ];
}
