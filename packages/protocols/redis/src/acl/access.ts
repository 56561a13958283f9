import { describeLine } from '../commands/client-line.js';
import type { Args, Command } from '../commands/command.js';
import type { Session } from '../session.js';
import type { Refusal } from './acl-log.js';
import type { CatalogEntry } from './catalog.js';
import type { Denial } from './selector.js';

/** A command that is not allowed, and why. */
export interface Refused {
  readonly reason: Denial['reason'];
  readonly name: string;
}

/** What rules may name is what a command is; with its HELP, which has no command of its own. */
function entryOf({ server }: Session, { name }: Command, args: Args): CatalogEntry | undefined {
  const { catalog } = server.users;
  const entry = catalog.find(name);
  if (entry === undefined || entry.isSubcommand || entry.subcommands.length === 0 || args.length === 1)
    return entry;
  // A subcommand that is not known is told so.
  const subcommand = args[1] ?? '';
  return subcommand.length === 4 ? catalog.find(`${name}|${subcommand}`) : undefined;
}

/**
 * Why the user of a client may not carry a command out, which is noted in the log then; to be asked where its account is
 * not unlimited.
 *
 * @param noted - the client that the log shows
 */
export function denialOf(
  session: Session,
  command: Command,
  args: Args,
  context: Refusal['context'],
  noted = session,
): Refused | undefined {
  const { account, server } = session;
  const entry = entryOf(session, command, args);
  const denial = entry && account.check(entry, args);
  if (denial === undefined || entry === undefined) return undefined;
  const { reason, place } = denial;
  server.users.log.add({
    reason,
    context,
    object: reason === 'command' ? entry.facts.name : (args[place] ?? ''),
    username: account.name,
    client: describeLine(noted),
    at: server.clock.now(),
  });
  return { reason, name: entry.facts.name };
}

/** Whether a command may read keys that it does not name, as SORT does with BY and GET. */
export function mayReadUnnamed(session: Session, name: string, args: Args): boolean {
  const { account, server } = session;
  if (account.isUnlimited) return true;
  const entry = server.users.catalog.find(name);
  return entry !== undefined && account.allowsUnnamed(entry, args);
}

/** Notes a login with a wrong name or password. */
export function noteFailedLogin(session: Session, user: string, command: string): void {
  const { server } = session;
  server.users.log.add({
    reason: 'auth',
    context: session.queue === undefined ? 'toplevel' : 'multi',
    object: command,
    username: user,
    client: describeLine(session),
    at: server.clock.now(),
  });
}

/** The error of a command that is not allowed. */
export function refusalOf({ reason, name }: Refused): string {
  if (reason === 'command') return `NOPERM this user has no permissions to run the '${name}' command`;
  return `NOPERM this user has no permissions to access one of the ${reason}s used as arguments`;
}

const CHANGED: Readonly<Record<Denial['reason'], string>> = {
  command: 'no permission to execute the command or subcommand',
  key: 'no permission to touch the specified keys',
  channel: 'no permission to access one of the channels used as arguments',
};

/** The error of a command of a transaction that has become not allowed meanwhile. */
export function changedRefusalOf({ reason }: Refused): string {
  return `NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: ${CHANGED[reason]}`;
}

const IN_SCRIPT: Readonly<Record<Denial['reason'], string>> = {
  command: "can't run this command or subcommand",
  key: "can't access at least one of the keys mentioned in the command arguments",
  channel: "can't publish to the channel mentioned in the command",
};

/** The error of a command of a script that is not allowed. */
export function scriptRefusalOf({ reason }: Refused): string {
  return `ERR The user executing the script ${IN_SCRIPT[reason]}`;
}
