/** A class of events (`notify-keyspace-events`) and the event that a command brings for a key that it changes. */
export type NamedEvent = readonly [type: string, name: string];

/** Commands by the class of their events; `command=event` where the event has another name. */
const EVENTS: Readonly<Record<string, string>> = {
  $: 'set setnx=set mset=set msetnx=set getset=set setex=set psetex=set bitop=set append setrange incr=incrby decr=incrby incrby decrby=incrby incrbyfloat setbit bitfield=setbit pfadd pfmerge=pfadd',
  l: 'lpush rpush lpushx=lpush rpushx=rpush lpop rpop blpop=lpop brpop=rpop lset linsert lrem ltrim sort=sortstore',
  s: 'sadd srem spop sinterstore sunionstore sdiffstore',
  h: 'hset hmset=hset hsetnx=hset hdel hincrby hincrbyfloat hexpire hpexpire=hexpire hexpireat=hexpire hpexpireat=hexpire hpersist hsetex=hset hgetdel=hdel hgetex=hexpire',
  z: 'zadd zincrby=zincr zrem zremrangebyscore zremrangebyrank zremrangebylex zpopmin zpopmax bzpopmin=zpopmin bzpopmax=zpopmax zunionstore zinterstore zdiffstore zrangestore geoadd=zadd geosearchstore georadius=georadiusstore georadiusbymember=georadiusstore',
  t: 'xadd xtrim xdel xsetid xgroup|create=xgroup-create xgroup|setid=xgroup-setid xgroup|destroy=xgroup-destroy xgroup|createconsumer=xgroup-createconsumer xgroup|delconsumer=xgroup-delconsumer',
  g: 'copy=copy_to restore restore-asking=restore',
};

const BY_COMMAND = new Map<string, NamedEvent>(
  Object.entries(EVENTS).flatMap(([type, commands]) =>
    commands.split(' ').map((entry): [string, NamedEvent] => {
      const [command = '', event = command] = entry.split('=');
      return [command, [type, event]];
    }),
  ),
);

/** Commands that move an element from their first key to their second: what happens at either. */
const MOVES: ReadonlySet<string> = new Set(['lmove', 'blmove', 'rpoplpush', 'brpoplpush']);
/** Commands that may remove keys by themselves: no other event tells of it. */
const NONE: readonly NamedEvent[] = [];
const DELETED: NamedEvent = ['g', 'del'];

/**
 * The events of a key that a command has changed, in order.
 *
 * @param command - its name in lower case
 * @param isGone - whether the key is not there any more
 * @param isTimed - whether the command has set when it expires
 */
export function eventsOf(
  command: string,
  args: readonly string[],
  key: string,
  isGone: boolean,
  isTimed: boolean,
): readonly NamedEvent[] {
  const special = specialEvents(command, args, key, isGone);
  if (special !== undefined) return special;
  const named = BY_COMMAND.get(command);
  if (named === undefined) return isGone ? [DELETED] : NONE;
  const isStored = command.endsWith('store') || named[1].endsWith('store') || command === 'bitop';
  if (isGone) return isStored ? [DELETED] : [named, DELETED];
  return isTimed && named[1] === 'set' ? [named, ['g', 'expire']] : [named];
}

function specialEvents(
  command: string,
  args: readonly string[],
  key: string,
  isGone: boolean,
): readonly NamedEvent[] | undefined {
  const emptied = isGone ? [DELETED] : NONE;
  if (MOVES.has(command)) return [...movedEvents(command, args, key), ...emptied];
  switch (command) {
    case 'rename':
    case 'renamenx':
      return [['g', isGone ? 'rename_from' : 'rename_to']];
    case 'move':
      return [['g', isGone ? 'move_from' : 'move_to']];
    case 'smove':
      return key === args[1] ? [['s', 'srem'], ...emptied] : [['s', 'sadd']];
    case 'lmpop':
    case 'blmpop':
      return [['l', args.some((arg) => arg.toUpperCase() === 'RIGHT') ? 'rpop' : 'lpop'], ...emptied];
    case 'zmpop':
    case 'bzmpop':
      return [['z', args.some((arg) => arg.toUpperCase() === 'MAX') ? 'zpopmax' : 'zpopmin'], ...emptied];
    case 'zadd':
      return args.some((arg, index) => index > 1 && arg.toUpperCase() === 'INCR')
        ? [['z', 'zincr']]
        : undefined;
    default:
      return undefined;
  }
}

function movedEvents(command: string, args: readonly string[], key: string): NamedEvent[] {
  const isOld = command.endsWith('rpoplpush');
  const pop = isOld || args[3]?.toUpperCase() === 'RIGHT' ? 'rpop' : 'lpop';
  const push = isOld || args[4]?.toUpperCase() === 'LEFT' ? 'lpush' : 'rpush';
  if (args[1] === args[2])
    return [
      ['l', push],
      ['l', pop],
    ];
  return [['l', key === args[1] ? pop : push]];
}
