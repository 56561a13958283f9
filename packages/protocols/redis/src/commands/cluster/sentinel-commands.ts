import type { Session } from '../../session.js';
import { fail, unknownCommand } from '../../wire/errors.js';
import { array, bulk, bulks, EMPTY_ARRAY, map, nilArray, simple } from '../../wire/reply.js';
import { at, keyless, type Args, type Command } from '../command.js';

const NO_MASTER = 'ERR No such master with that name';

/** What a sentinel answers that watches this server as its one master (redis.io, "High availability with Redis Sentinel"). */
export const SENTINEL_COMMANDS: readonly Command[] = [
  watching('get-master-addr-by-name', 3, (args, session, master) =>
    at(args, 2) === master ? bulks([session.local, String(session.server.port)]) : nilArray(session.resp),
  ),
  watching('masters', 2, (_args, session, master) => array([describe(session, master)])),
  watching('master', 3, (args, session, master) => {
    checkName(args, master);
    return describe(session, master);
  }),
  ...['sentinels', 'replicas', 'slaves'].map((name) =>
    watching(name, 3, (args, _session, master) => {
      checkName(args, master);
      return EMPTY_ARRAY;
    }),
  ),
  watching('ckquorum', 3, (args, _session, master) => {
    checkName(args, master);
    return simple('OK 1 usable Sentinels. Quorum and failover authorization can be reached');
  }),
  watching('myid', 2, (_args, { server }) => bulk(server.runId)),
];

function watching(
  name: string,
  arity: number,
  run: (args: Args, session: Session, master: string) => string,
): Command {
  return keyless(`sentinel|${name}`, arity, 'a', (args, session) =>
    run(args, session, session.server.settings.sentinelMaster ?? fail(unknownCommand(args))),
  );
}

function checkName(args: Args, master: string): void {
  if (at(args, 2) !== master) fail(NO_MASTER);
}

function describe({ server, local, resp }: Session, master: string): string {
  const facts = [
    ...['name', master, 'ip', local, 'port', String(server.port)],
    ...['runid', server.runId, 'flags', 'master', 'role-reported', 'master'],
    ...['num-slaves', '0', 'num-other-sentinels', '0', 'quorum', '1'],
    ...['config-epoch', '0', 'down-after-milliseconds', '30000', 'failover-timeout', '180000'],
  ];
  return map(facts.map(bulk), resp);
}
