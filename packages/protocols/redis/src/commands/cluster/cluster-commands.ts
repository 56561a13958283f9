import type { Session } from '../../session.js';
import { fail } from '../../wire/errors.js';
import { array, bulk, bulks, EMPTY_ARRAY, integer, map, OK, verbatim } from '../../wire/reply.js';
import { at, keyless, optionAt, toInteger, type Args, type Command } from '../command.js';
import { STEP, type Answer } from '../work.js';
import { slotOf, SLOTS } from './key-slot.js';

/** What the bus of a cluster adds to the port. */
const BUS = 10_000;
const DISABLED = 'ERR This instance has cluster support disabled';

/** What would change the cluster. */
const CHANGING: readonly (readonly [name: string, arity: number])[] = [
  ['addslots', -3],
  ['addslotsrange', -4],
  ['bumpepoch', 2],
  ['count-failure-reports', 3],
  ['delslots', -3],
  ['delslotsrange', -4],
  ['failover', -2],
  ['flushslots', 2],
  ['forget', 3],
  ['meet', -4],
  ['replicate', 3],
  ['reset', -2],
  ['set-config-epoch', 3],
  ['setslot', -4],
];

/** The commands of a cluster that has this one node (redis.io, command page of each). */
export const CLUSTER_COMMANDS: readonly Command[] = [
  clustered('info', 2, (_args, { resp }) =>
    verbatim(
      [
        'cluster_enabled:1',
        'cluster_state:ok',
        `cluster_slots_assigned:${SLOTS}`,
        `cluster_slots_ok:${SLOTS}`,
        'cluster_slots_pfail:0',
        'cluster_slots_fail:0',
        'cluster_known_nodes:1',
        'cluster_size:1',
        'cluster_current_epoch:1',
        'cluster_my_epoch:1',
        'cluster_stats_messages_sent:0',
        'cluster_stats_messages_received:0',
        'total_cluster_links_buffer_limit_exceeded:0',
        '',
      ].join('\r\n'),
      resp,
    ),
  ),
  clustered('myid', 2, (_args, { server }) => bulk(server.runId)),
  clustered('nodes', 2, (_args, session) => {
    const { server, resp } = session;
    const { port } = server;
    return verbatim(
      `${server.runId} ${session.local}:${port}@${port + BUS} myself,master - 0 0 1 connected 0-${SLOTS - 1}\n`,
      resp,
    );
  }),
  clustered('slots', 2, (_args, { server, local, resp }) =>
    array([
      array([
        integer(0),
        integer(SLOTS - 1),
        array([bulk(local), integer(server.port), bulk(server.runId), map([], resp)]),
      ]),
    ]),
  ),
  clustered('shards', 2, (_args, { server, local, resp }) => {
    const node = [
      ...[bulk('id'), bulk(server.runId), bulk('port'), integer(server.port)],
      ...[bulk('ip'), bulk(local), bulk('endpoint'), bulk(local)],
      ...[bulk('role'), bulk('master'), bulk('replication-offset'), integer(0)],
      ...[bulk('health'), bulk('online')],
    ];
    const slots = array([integer(0), integer(SLOTS - 1)]);
    return array([map([bulk('slots'), slots, bulk('nodes'), array([map(node, resp)])], resp)]);
  }),
  clustered('keyslot', 3, (args) => integer(slotOf(at(args, 2)))),
  clustered('countkeysinslot', 3, function* (args, session) {
    return integer((yield* keysIn(session, readSlot(args), Infinity)).length);
  }),
  clustered('getkeysinslot', 4, function* (args, session) {
    const count = toInteger(args[3]);
    if (count < 0) fail('ERR Invalid slot or number of keys');
    return bulks(yield* keysIn(session, readSlot(args), Math.min(count, 1024)));
  }),
  clustered('replicas', 3, (args, session) => checkNode(args, session)),
  clustered('slaves', 3, (args, session) => checkNode(args, session)),
  clustered('links', 2, () => EMPTY_ARRAY),
  clustered('saveconfig', 2, () => OK),
  ...CHANGING.map(([name, arity]) =>
    clustered(name, arity, (args) =>
      fail(`ERR CLUSTER ${optionAt(args, 1)} is not supported: the one node of this cluster has all slots`),
    ),
  ),
  keyless('readonly', 1, '', (_args, session) => accept(session)),
  keyless('readwrite', 1, '', (_args, session) => accept(session)),
  keyless('asking', 1, '', (_args, session) => accept(session)),
];

function clustered(name: string, arity: number, run: (args: Args, session: Session) => Answer): Command {
  const command = keyless(`cluster|${name}`, arity, '', (args, session) =>
    session.server.settings.isCluster ? run(args, session) : fail(DISABLED),
  );
  return { ...command, access: name.endsWith('inslot') ? 'read' : 'none' };
}

function accept({ server }: Session): string {
  return server.settings.isCluster ? OK : fail(DISABLED);
}

function checkNode(args: Args, { server }: Session): string {
  return at(args, 2) === server.runId ? EMPTY_ARRAY : fail(`ERR Unknown node ${at(args, 2).slice(0, 128)}`);
}

function readSlot(args: Args): number {
  const slot = toInteger(args[2]);
  return slot < 0 || slot >= SLOTS ? fail('ERR Invalid slot') : slot;
}

function* keysIn({ server }: Session, slot: number, most: number): Generator<undefined, string[]> {
  const keys: string[] = [];
  let seen = 0;
  for (const [key] of server.store.database(0).live()) {
    if (keys.length >= most) break;
    if (slotOf(key) === slot) keys.push(key);
    seen += 1;
    if (seen % STEP === 0) yield;
  }
  return keys;
}
