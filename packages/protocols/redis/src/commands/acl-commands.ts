import { hashOf } from '../acl/acl-user.js';
import type { AclLogEntry } from '../acl/acl-log.js';
import { CATEGORIES } from '../acl/catalog.js';
import type { Selector } from '../acl/selector.js';
import type { Session } from '../session.js';
import { fail, wrongArity } from '../wire/errors.js';
import {
  array,
  bulk,
  bulks,
  scoreReply,
  EMPTY_ARRAY,
  integer,
  map,
  nil,
  OK,
  set,
  type Resp,
} from '../wire/reply.js';
import { at, keyless, optionAt, toInteger, type Answer, type Args, type Command } from './command.js';
import type { Work } from './work.js';

const NO_FILE =
  'ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration.';
/** Most bits of ACL GENPASS. */
const MAX_BITS = 4096;

/** What ACL asks of the table of commands. */
interface Table {
  readonly find: (args: Args) => Command | undefined;
  readonly hasRightCount: (command: Command, args: Args) => boolean;
}

/** The subcommands of ACL (redis.io, command page of each), with the answers of Redis 7.0. */
export function aclCommands(table: () => Table): readonly Command[] {
  return [
    keyless('acl|whoami', 2, '', (_args, { account, server, user }) =>
      // Where any login passes nobody has rules, and names are only shown.
      bulk(account === server.users.default ? user : account.name),
    ),
    keyless('acl|users', 2, 'a', (_args, { server }) => bulks(server.users.all.map(({ name }) => name))),
    keyless('acl|list', 2, 'a', function* (_args, { server }): Work {
      const lines: string[] = [];
      for (const user of server.users.all) {
        lines.push(`user ${user.name} ${user.describe()}`);
        yield;
      }
      return bulks(lines);
    }),
    keyless('acl|cat', -2, '', categories),
    keyless('acl|setuser', -3, 'a', function* (args, { server }): Work {
      yield* server.users.set(at(args, 2), args.slice(3));
      return OK;
    }),
    keyless('acl|getuser', 3, 'a', describeUser),
    keyless('acl|deluser', -3, 'a', deleteUsers),
    keyless('acl|genpass', -2, '', generate),
    keyless('acl|dryrun', -4, 'a', (args, session) => tryOut(args, session, table())),
    keyless('acl|log', -2, 'a', showLog),
    keyless('acl|load', 2, 'a', () => fail(NO_FILE)),
    keyless('acl|save', 2, 'a', () => fail(NO_FILE)),
  ];
}

function failCount(args: Args): never {
  return fail(`ERR unknown subcommand or wrong number of arguments for '${at(args, 1)}'. Try ACL HELP.`);
}

function categories(args: Args, { server }: Session): Answer {
  if (args.length === 2) return bulks(CATEGORIES);
  if (args.length > 3) failCount(args);
  const name = at(args, 2).slice(0, 128);
  const entries = server.users.catalog.inCategory(name) ?? fail(`ERR Unknown category '${name}'`);
  return bulks(entries.map(({ facts }) => facts.name));
}

function describeUser(args: Args, { server, resp }: Session): Answer {
  const user = server.users.find(at(args, 2));
  if (user === undefined) return nil(resp);
  const [root, ...others] = user.selectors;
  return map(
    [
      ...[bulk('flags'), set(user.flags.map(bulk), resp)],
      ...[bulk('passwords'), bulks(user.passwords)],
      ...describeSelector(root),
      ...[bulk('selectors'), array(others.map((selector) => map(describeSelector(selector), resp)))],
    ],
    resp,
  );
}

function describeSelector(selector: Selector): string[] {
  return [
    ...[bulk('commands'), bulk(selector.describeCommands())],
    ...[bulk('keys'), bulk(selector.describeKeys())],
    ...[bulk('channels'), bulk(selector.describeChannels())],
  ];
}

function deleteUsers(args: Args, session: Session): Answer {
  const { users } = session.server;
  const names = args.slice(2);
  if (names.includes('default')) fail("ERR The 'default' user cannot be removed");
  let count = 0;
  for (const name of names) {
    if (users.find(name) === session.account) {
      // Who removes the own user gets the answer first.
      session.lockOut();
      session.line.close();
    }
    if (users.delete(name)) count += 1;
  }
  return integer(count);
}

function generate(args: Args, { server }: Session): Answer {
  if (args.length > 3) failCount(args);
  const bits = args.length === 2 ? 256 : toInteger(args[2]);
  if (bits <= 0 || bits > MAX_BITS)
    fail(
      `ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to ${MAX_BITS}`,
    );
  const length = Math.floor((bits + 3) / 4);
  let text = '';
  while (text.length < length) text += hashOf(server.random.uuid());
  return bulk(text.slice(0, length));
}

function tryOut(args: Args, { server }: Session, { find, hasRightCount }: Table): Answer {
  const { users } = server;
  const user = users.find(at(args, 2)) ?? fail(`ERR User '${at(args, 2)}' not found`);
  const given = args.slice(3);
  const command = find(given) ?? fail(`ERR Command '${at(given, 0)}' not found`);
  // A subcommand that is not there, or HELP.
  const isPart = given.length > 1 && (users.catalog.find(command.name)?.subcommands.length ?? 0) > 0;
  const name = isPart && !command.name.includes('|') ? `${command.name}|${at(given, 1)}` : command.name;
  const entry = users.catalog.find(name) ?? fail(`ERR Command '${at(given, 0)}' not found`);
  if (!hasRightCount(command, given)) fail(wrongArity(entry.facts.name));
  const denial = user.check(entry, given);
  if (denial === undefined) return OK;
  const { reason, place } = denial;
  if (reason === 'command')
    return bulk(`This user has no permissions to run the '${entry.facts.name}' command`);
  return bulk(`This user has no permissions to access the '${at(given, place)}' ${reason}`);
}

function showLog(args: Args, { server, resp }: Session): Answer {
  if (args.length > 3) failCount(args);
  const { log } = server.users;
  if (optionAt(args, 2) === 'RESET') {
    log.clear();
    return OK;
  }
  const count = args.length === 2 ? 10 : toInteger(args[2]);
  if (count <= 0) return EMPTY_ARRAY;
  const now = server.clock.now();
  return array(log.entries.slice(0, count).map((entry) => describeEntry(entry, now, resp)));
}

function describeEntry(
  { count, reason, context, object, username, at: then, client }: AclLogEntry,
  now: number,
  resp: Resp,
): string {
  return map(
    [
      ...[bulk('count'), integer(count), bulk('reason'), bulk(reason), bulk('context'), bulk(context)],
      ...[bulk('object'), bulk(object), bulk('username'), bulk(username)],
      ...[bulk('age-seconds'), scoreReply((now - then) / 1000, resp), bulk('client-info'), bulk(client)],
    ],
    resp,
  );
}
