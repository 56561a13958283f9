import { afterEach, describe, expect, it } from '@jest/globals';
import { amqp } from '@backlot/amqp';
import { coap } from '@backlot/coap';
import { itWithTool, runTool } from '@backlot/conformance';
import { createHost, type Host, type JournalEntry, type Protocol } from '@backlot/core';
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

const hosts: Host[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop(200)));
});

interface Case {
  readonly protocol: Protocol;
  /** The programs of the line. */
  readonly tools: string;
  /** The first message: a shell line in which {port} stands for the port. */
  readonly first: string;
  /** The verb of the entry that is sent again. */
  readonly method: string;
  readonly settings?: object;
}

/** What is quoted wrongly shows here. */
const AWKWARD = `it's "$HOME" \`id\` \\n 100% ; #`;
const QUOTED = `$'it\\'s "$HOME" \`id\` \\\\n 100% ; #'`;

const CASES: readonly Case[] = [
  {
    protocol: http,
    tools: 'curl',
    first: `curl -s 'http://127.0.0.1:{port}/a%2Fb/../c?x=1&x=2&y=a%20b' -X PATCH -H 'x-empty;' -H "x-odd: it's" --data-binary ${QUOTED}`,
    method: 'PATCH',
  },
  {
    protocol: graphql,
    tools: 'curl',
    first: `curl -s http://127.0.0.1:{port}/graphql -H 'content-type: application/json' -d '{"query":"query One($id: ID) { a(id: $id) }","variables":{"id":"it\\u0027s"}}'`,
    method: 'query',
  },
  {
    protocol: grpc,
    tools: 'curl',
    first: `curl -s http://127.0.0.1:{port}/acme.Users/Get -H 'content-type: application/json' -H 'x-odd: 1' -d '{"name":"it\\u0027s"}'`,
    method: 'Get',
    settings: { mocks: [{ method: 'acme.Users/Get', response: { message: 'hi' } }] },
  },
  {
    protocol: websocket,
    tools: 'wsdump',
    first: `wsdump --eof-wait 1 --text ${QUOTED} 'ws://127.0.0.1:{port}/chat?a=b%20c'`,
    method: 'MESSAGE',
    settings: { mocks: [{ path: '/chat', on_message: [{ match: '*', respond: 'yes' }] }] },
  },
  { protocol: tcp, tools: 'nc', first: `printf %s ${QUOTED} | nc -w 1 127.0.0.1 {port}`, method: 'RECV' },
  {
    protocol: redis,
    tools: 'redis-cli',
    first: `redis-cli -p {port} -n 3 SET 'a key' ${QUOTED} EX 100`,
    method: 'SET',
  },
  {
    protocol: smtp,
    tools: 'curl',
    first: `printf 'Subject: hi\\r\\n\\r\\n%s\\r\\n' ${QUOTED} | curl -s smtp://127.0.0.1:{port} --mail-from ann@example.com --mail-rcpt bob@example.com --mail-rcpt eve@example.com -T -`,
    method: 'MAIL',
  },
  {
    protocol: mqtt,
    tools: 'mosquitto_pub',
    first: `mosquitto_pub -p {port} -t 'a b/c' -q 1 -m ${QUOTED}`,
    method: 'PUBLISH',
  },
  {
    protocol: nats,
    tools: 'nc',
    first: `printf 'CONNECT {"verbose":false}\\r\\nPUB a.b 5\\r\\nit\\047s!\\r\\nPING\\r\\n' | nc -w 1 127.0.0.1 {port}`,
    method: 'PUB',
  },
  {
    protocol: snmp,
    tools: 'snmpget',
    first: 'snmpget -v 1 -c "it\'s" 127.0.0.1:{port} 1.3.6.1.2.1.1.1.0 1.3.6.1.2.1.1.5.0',
    method: 'GET',
    settings: { community: "it's" },
  },
  { protocol: dns, tools: 'dig', first: 'dig @127.0.0.1 -p {port} -t MX -q "it\'s.test"', method: 'QUERY' },
  {
    protocol: amqp,
    tools: 'amqp-publish',
    first: `amqp-publish -s 127.0.0.1 --port={port} --exchange=amq.topic --routing-key='a b' --content-type=text/plain -b ${QUOTED}`,
    method: 'PUBLISH',
  },
  {
    protocol: kafka,
    tools: 'kcat',
    first: `printf '%s' 'k\t'${QUOTED} | kcat -P -b 127.0.0.1:{port} -t t -p 1 -K '\t' -H "x=it's"`,
    method: 'PRODUCE',
    settings: { topics: [{ name: 't', partitions: 2 }] },
  },
  {
    protocol: ldap,
    tools: 'ldapsearch',
    first: `ldapsearch -x -H ldap://127.0.0.1:{port} -b 'ou=it\\27s,dc=example,dc=org' "(|(cn=it's)(sn=*))"`,
    method: 'SEARCH',
    settings: { base_dn: 'dc=example,dc=org' },
  },
  {
    protocol: imap,
    tools: 'curl',
    first: `curl -s imap://127.0.0.1:{port}/INBOX -u ann:secret -X 'SEARCH ALL'`,
    method: 'SEARCH',
  },
  {
    protocol: ftp,
    tools: 'curl',
    first: `printf %s ${QUOTED} | curl -s -T - "ftp://127.0.0.1:{port}/a%20file.txt"`,
    method: 'STOR',
  },
  {
    protocol: memcached,
    tools: 'nc',
    first: `printf 'set key 5 0 4\\r\\nit\\047s\\r\\n' | nc -w 1 127.0.0.1 {port}`,
    method: 'set',
  },
  {
    protocol: stomp,
    tools: 'nc',
    first: `printf 'CONNECT\\naccept-version:1.2\\nhost:x\\n\\n\\0SEND\\ndestination:/queue/a\\nx-odd:it\\047s\\n\\nhello\\0' | nc -w 1 127.0.0.1 {port}`,
    method: 'SEND',
  },
  {
    protocol: coap,
    tools: 'coap-client-notls',
    first: `printf %s ${QUOTED} | coap-client-notls -m put -f - 'coap://127.0.0.1:{port}/a%20b/1?x=1'`,
    method: 'PUT',
  },
  { protocol: sip, tools: 'sipsak', first: 'sipsak -s sip:bob@127.0.0.1:{port}', method: 'OPTIONS' },
];

/** What both messages must share. */
function contentOf({ method, path, query, body, headers = {} }: JournalEntry): unknown {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x'));
  return { method, path, query, body, own };
}

describe('a command line', () => {
  for (const { protocol, tools, first, method, settings = {} } of CASES) {
    itWithTool(
      `${tools} ${first.split(' ')[0] === 'printf' ? '' : (first.split(' ')[0] ?? '')}`.trim(),
      `sends a message of ${protocol.meta.title} again as it was`,
      async () => {
        const host = await createHost({
          protocols: [protocol],
          settings: { [protocol.kind]: { host: '127.0.0.1', ...settings } },
        });
        hosts.push(host);
        await host.start();
        const { address, url = '', protocol: whole } = host.kind(protocol.kind);
        const port = address?.port ?? 0;
        await runTool('bash', ['-c', first.replace('{port}', String(port))]);
        const item = host.journal.items().find((each) => each.render().method === method);
        if (item === undefined)
          throw new Error(`there is no ${method}: ${JSON.stringify(host.journal.list())}`);
        const line = whole.command?.write(item.message, { host: '127.0.0.1', port, tls: false, url });
        expect(line).toMatch(new RegExp(`(?:^|\\| |=never )${tools} `));
        await runTool('bash', ['-c', line ?? '']);
        const entries = host.journal.list().filter((entry) => entry.method === method);
        expect(entries.length).toBeGreaterThan(1);
        expect(contentOf(entries.at(-1) as JournalEntry)).toEqual(contentOf(item.render()));
      },
      60_000,
    );
  }

  it.each(['a\u001b[201~\nb', AWKWARD, '', '-x', 'é\u0085'])(
    'quotes what a terminal or a shell would act upon: %p',
    async (text) => {
      const { shellLine } = await import('@backlot/core/plugin');
      const line = shellLine(['printf', '%s', text]);
      expect(line).not.toMatch(/[\u0000-\u001f]/u);
      expect((await runTool('bash', ['-c', line])).out).toBe(text);
    },
  );
});
