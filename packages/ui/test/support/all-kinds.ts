import { PYTHON, runTool } from '@backlot/conformance';
import { amqp } from '@backlot/amqp';
import { coap } from '@backlot/coap';
import { dns } from '@backlot/dns';
import { ftp } from '@backlot/ftp';
import { graphql } from '@backlot/graphql';
import { grpc } from '@backlot/grpc';
import { http } from '@backlot/http';
import { imap } from '@backlot/imap';
import { kafka } from '@backlot/kafka';
import { ldap } from '@backlot/ldap';
import { memcached } from '@backlot/memcached';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { redis } from '@backlot/redis';
import { sip } from '@backlot/sip';
import { smtp } from '@backlot/smtp';
import { snmp } from '@backlot/snmp';
import { stomp } from '@backlot/stomp';
import { tcp } from '@backlot/tcp';
import { websocket } from '@backlot/websocket';
import type { Started } from './start.js';

/** All protocols that come with the command. */
export const ALL_KINDS = [
  http,
  websocket,
  grpc,
  graphql,
  tcp,
  redis,
  smtp,
  mqtt,
  nats,
  snmp,
  dns,
  amqp,
  kafka,
  ldap,
  imap,
  ftp,
  memcached,
  stomp,
  coap,
  sip,
];

/** What they begin with, beside one mock of each, which its schema has as its first example. */
export const ALL_SETTINGS = {
  kafka: { topics: [{ name: 'payments', partitions: 1 }] },
  amqp: { queues: [{ name: 'orders' }] },
  nats: { jetstream: { streams: [{ name: 'SHIPPING', subjects: ['shipped.*'] }] } },
  snmp: { traps: [{ id: 'link-down', target: '127.0.0.1:1', oid: '1.3.6.1.6.3.1.1.5.3' }] },
};

/** The programs that {@link sendToAll} runs. */
export const ALL_TOOLS = [
  'chromium curl redis-cli mosquitto_pub kcat amqp-publish dig ldapsearch snmpget',
  'coap-client-notls sipsak nc python3:websockets python3:grpc python3:pymemcache.client.base',
].join(' ');

const SCRIPT = `
import asyncio, sys
import grpc, websockets
from pymemcache.client.base import Client

web, rpc, cache = (int(port) for port in sys.argv[1:])
async def talk():
    async with websockets.connect(f'ws://127.0.0.1:{web}/chat') as socket:
        await socket.send('hello')
try:
    asyncio.run(talk())
except websockets.InvalidStatusCode:
    pass
with grpc.insecure_channel(f'127.0.0.1:{rpc}') as channel:
    try:
        channel.unary_unary('/shop.Orders/Get')(b'')
    except grpc.RpcError:
        pass
client = Client(('127.0.0.1', cache), default_noreply=False)
client.set('basket:7', 'two lamps')
client.get('basket:7')
client.close()
`;

/**
 * Sends something of every kind, with clients that nobody here wrote.
 *
 * @param lines - by kind, the lines that the server has for a beginning; kinds without one have a client below
 */
export async function sendToAll({ port }: Started, lines: ReadonlyMap<string, string>): Promise<void> {
  const run = async (tool: string, args: readonly string[], input?: string): Promise<void> => {
    const { code, out, err } = await runTool(tool, args, input === undefined ? {} : { input });
    // Not all that is asked for is there; who cannot be reached says more than that.
    if (code !== 0 && /refused|not found|unreachable|Traceback/i.test(`${out}${err}`))
      throw new Error(`${tool}: ${out}${err}`);
  };
  const at = (kind: string): string => `127.0.0.1:${port(kind)}`;
  const on = (kind: string): string => String(port(kind));
  // Some wait for more of an answer than comes: all of them at once.
  await Promise.all([
    ...Array.from(lines, async ([kind, line]) => {
      const { code, err } = await runTool('bash', ['-c', line]);
      if (code !== 0) throw new Error(`the line of ${kind} ends with ${code}: ${err}`);
    }),
    run(PYTHON, ['-c', SCRIPT, on('websocket'), on('grpc'), on('memcached')]),
    run('curl', [
      ...['-s', '-H', 'content-type: application/json', '-d', '{"query": "query GetUser { user { id } }"}'],
      `http://${at('graphql')}/graphql`,
    ]),
    run('curl', ['-s', '-u', 'ann:secret', `imap://${at('imap')}/`]),
    run('curl', ['-s', '-T', '-', `ftp://${at('ftp')}/report.txt`], 'quarterly'),
    run('nc', ['-N', '-w', '5', '127.0.0.1', on('tcp')], 'PING\n'),
    run('dig', ['+short', '@127.0.0.1', '-p', on('dns'), 'www.example.com']),
    run('ldapsearch', ['-x', '-H', `ldap://${at('ldap')}`, '-b', 'dc=example,dc=org', '(uid=ada)']),
    run('snmpget', ['-v2c', '-cpublic', '-On', at('snmp'), '1.3.6.1.2.1.1.1.0']),
    run('coap-client-notls', ['-B', '20', `coap://${at('coap')}/sensors/7`]),
    run('sipsak', ['-s', `sip:nobody@${at('sip')}`]),
  ]);
}
