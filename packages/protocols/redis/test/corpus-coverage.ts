/** Commands of redis-server that the corpus leaves out, and where they are tested instead, or why they are not compared. */
export const UNREACHED_COMMANDS: Readonly<Record<string, string>> = {
  ...because('their answers differ from run to run, or are about the server itself', [
    ...[
      'info',
      'lastsave',
      'lolwut',
      'monitor',
      'bgsave',
      'bgrewriteaof',
      'shutdown',
      'client|id',
      'client|info',
    ],
    ...[
      'latency|doctor',
      'latency|histogram',
      'memory|doctor',
      'memory|malloc-stats',
      'memory|stats',
      'slowlog|get',
      'slowlog|len',
    ],
    ...['client|tracking'],
  ]),
  ...because('compared by command-facts.test.ts', [
    ...['command|count', 'command|docs', 'command|getkeysandflags', 'command|info', 'command|list'],
  ]),
  ...because('compared by dump.test.ts', ['dump', 'restore', 'restore-asking']),
  ...because('there are no replicas', ['failover', 'psync', 'replconf', 'replicaof', 'slaveof', 'sync']),
  ...because('there are no modules', ['module|help', 'module|loadex', 'module|unload']),
  ...because('they look into redis-server', ['debug', 'pfdebug', 'pfselftest']),
  ...because('there is no debugger of scripts', ['script|debug']),
  ...because('libraries are not dumped', ['function|dump']),
  ...because('a redis-server that is no cluster refuses all of them alike', [
    ...['cluster|addslots', 'cluster|addslotsrange', 'cluster|count-failure-reports', 'cluster|delslots'],
    ...[
      'cluster|delslotsrange',
      'cluster|flushslots',
      'cluster|help',
      'cluster|replicate',
      'cluster|saveconfig',
    ],
    ...['cluster|set-config-epoch', 'cluster|slaves'],
  ]),
};

/** Options of commands that the corpus reaches, which it leaves out. */
export const UNREACHED_OPTIONS: Readonly<Record<string, string>> = {
  'function|restore': 'FLUSH APPEND REPLACE',
  migrate: 'COPY REPLACE AUTH AUTH2 KEYS',
  hello: 'SETNAME',
  'client|reply': 'OFF SKIP',
  'client|kill': 'NORMAL MASTER SLAVE PUBSUB',
  'client|list': 'NORMAL PUBSUB',
  'cluster|reset': 'HARD SOFT',
  'cluster|failover': 'FORCE TAKEOVER',
  'cluster|setslot': 'IMPORTING MIGRATING STABLE',
};

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}
