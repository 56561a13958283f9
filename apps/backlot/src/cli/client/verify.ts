import { describeVerdict, type Check, type Verdict } from '@backlot/core';
import type { ApiClient } from '../../client/api-client.js';
import { readInput } from '../../client/read-input.js';
import { CommandError } from '../command-error.js';
import type { ClientFlags } from '../connect.js';
import { print, printJson } from '../output.js';

/** `backlot verify`: whether what a file expects was received; the exit code says it. */
export async function verify(api: ApiClient, source: string | undefined, flags: ClientFlags): Promise<void> {
  const check = (await readInput(source, 'check')) as Check;
  const verdict = (await api.post('/api/verify', check)) as Verdict;
  if (flags.json === true) printJson(verdict);
  else for (const line of describeVerdict(check.expect, verdict)) print(line);
  if (!verdict.verified) throw new CommandError('what was expected does not hold', 1);
}
