import { BadCommand } from '../wire/bad-command.js';
import type { CommandContext } from './command-context.js';
import type { Command } from './command.js';

/** Whether a command may be given now (RFC 3501, section 3). @throws BadCommand */
export function checkState(
  { isLoggedIn, selected }: Pick<CommandContext, 'isLoggedIn' | 'selected'>,
  name: string,
  { needs }: Command,
): void {
  if (needs === 'no login' && isLoggedIn) throw new BadCommand(`${name} is for before the login`);
  if ((needs === 'login' || needs === 'mailbox') && !isLoggedIn) {
    throw new BadCommand(`${name} needs a login first`);
  }
  if (needs === 'mailbox' && selected === undefined) {
    throw new BadCommand(`${name} needs a mailbox: SELECT one first`);
  }
}
