import { describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { Agent, request, type IncomingMessage } from 'coap';
import { Resolver } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import net from 'net-snmp';
import { makeFolder } from '../command.js';
import { serveMockly, type Served } from './serve.js';

describe('snmp', () => {
  it('answers net-snmp as its file says', async () => {
    await serveMockly(
      'snmp',
      async ({ port, call, setState }) => {
        await setState('alarm', 'on');
        const session = net.createSession('127.0.0.1', 'lab', { port, version: net.Version2c });
        const get = (oids: string[]): Promise<readonly unknown[]> =>
          new Promise((resolve, reject) => {
            session.get(oids, (error, bindings) => {
              if (error !== null) reject(error);
              else
                resolve(
                  (bindings ?? []).map(({ value }) => (Buffer.isBuffer(value) ? value : String(value))),
                );
            });
          });
        const system = ['1.3.6.1.2.1.1.1.0', '1.3.6.1.2.1.1.2.0', '1.3.6.1.2.1.1.3.0', '1.3.6.1.2.1.1.4.0'];
        expect((await get(system)).map(String)).toEqual([
          'Lab switch',
          '1.3.6.1.4.1.9999.1',
          '987654',
          'ann@lab.test',
        ]);
        const numbers = ['1.3.6.1.2.1.2.1.0', '1.3.6.1.2.1.2.2.1.5.1', '1.3.6.1.2.1.2.2.1.10.1'];
        expect(await get(numbers)).toEqual(['4', '100', '1048576']);
        const [long] = await get(['1.3.6.1.2.1.31.1.1.1.6.1']);
        expect(Number.parseInt((long as Buffer).toString('hex'), 16)).toBe(9_000_000_000);
        expect(await get(['1.3.6.1.4.1.9999.1.0', '1.3.6.1.4.1.9999.2.0'])).toEqual(['10.0.0.1', '1']);
        session.close();

        const user = {
          name: 'reader',
          level: net.SecurityLevel.authPriv,
          authProtocol: net.AuthProtocols.sha256,
          authKey: 'reader-auth',
          privProtocol: net.PrivProtocols.aes,
          privKey: 'reader-priv',
        };
        const v3 = net.createV3Session('127.0.0.1', user, { port });
        const description = await new Promise((resolve, reject) => {
          v3.get(['1.3.6.1.2.1.1.1.0'], (error, bindings) =>
            error === null ? resolve(String(bindings?.[0]?.value)) : reject(error),
          );
        });
        expect(description).toBe('Lab switch');
        v3.close();
        expect(await call('GET', 'snmp/traps')).toMatchObject([
          { id: 'cold-start', target: '127.0.0.1:1162', version: '2c', oid: '1.3.6.1.6.3.1.1.5.1' },
        ]);
        await call('POST', 'snmp/traps/cold-start/send');
      },
      { message: 'out of order' },
    );
  });
});

describe('dns', () => {
  it('answers the resolver of Node as its file says', async () => {
    await serveMockly(
      'dns',
      async ({ port }) => {
        const resolver = new Resolver({ timeout: 60_000 });
        resolver.setServers([`127.0.0.1:${port}`]);
        expect(await resolver.resolve4('api.shop.test', { ttl: true })).toEqual([
          { address: '10.1.2.3', ttl: 30 },
        ]);
        expect(await resolver.resolve6('api.shop.test')).toEqual(['2001:db8::1']);
        expect(await resolver.resolveCname('www.shop.test')).toEqual(['api.shop.test']);
        expect(await resolver.resolve4('www.shop.test')).toEqual(['10.1.2.3']);
        expect(await resolver.resolveMx('shop.test')).toEqual([{ priority: 10, exchange: 'mail.shop.test' }]);
        expect(await resolver.resolveTxt('shop.test')).toEqual([['v=spf1 -all']]);
        expect(await resolver.resolveNs('shop.test')).toEqual(['ns1.shop.test']);
        expect(await resolver.reverse('10.1.2.3')).toEqual(['api.shop.test']);
        expect(await resolver.resolveSrv('_sip._tcp.shop.test')).toEqual([
          { priority: 10, weight: 5, port: 5060, name: 'sip.shop.test' },
        ]);
        expect(await resolver.resolve4('a.dev.shop.test')).toEqual(['10.9.9.9']);
      },
      { rcode: 'REFUSED' },
    );
  });
});

describe('coap', () => {
  it('answers the npm client as its file says', async () => {
    await serveMockly(
      'coap',
      async ({ port }) => {
        const agent = new Agent();
        const ask = (method: 'GET' | 'PUT' | 'POST', pathname: string): Promise<unknown> =>
          new Promise((resolve, reject) => {
            const outgoing = request({ hostname: '127.0.0.1', port, agent, method, pathname });
            outgoing.on('error', reject);
            outgoing.on('response', ({ code, payload, headers }: IncomingMessage) =>
              resolve([code, payload.toString(), headers['Content-Format']]),
            );
            outgoing.end();
          });
        expect(await ask('GET', '/sensors/temperature')).toEqual(['2.05', '23.5', 'text/plain']);
        expect(await ask('GET', '/sensors/rain')).toEqual(['2.05', 'reading of rain', 'text/plain']);
        expect(await ask('PUT', '/lights/kitchen')).toEqual(['2.04', '', undefined]);
        expect(await ask('POST', '/jobs/print/now')).toEqual(['2.01', '{"job":1}', 'application/json']);
        agent.close();
      },
      { code: '4.03' },
    );
  });
});

/** One request, the answer that is right for it, and the ACK of an INVITE. */
function sippScenario(method: string, uri: string, status: number, check: string): string {
  const headers = (cseq: string): string =>
    [
      'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
      'From: <sip:sipp@[local_ip]>;tag=[call_number]',
      `To: <${uri}>${cseq === 'ACK' ? '[peer_tag_param]' : ''}`,
      'Call-ID: [call_id]',
      `CSeq: 1 ${cseq}`,
      'Contact: <sip:sipp@[local_ip]:[local_port]>',
      'Max-Forwards: 70',
      'Content-Length: 0',
    ].join('\n');
  const send = (name: string): string =>
    `<send${name === 'ACK' ? '' : ' retrans="500"'}><![CDATA[\n${name} ${uri} SIP/2.0\n${headers(name)}\n\n]]></send>`;
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="one request">
${send(method)}
<recv response="100" optional="true"/>
<recv response="${status}"><action><ereg regexp="${check}" search_in="msg" check_it="true" assign_to="1"/></action></recv>
<Reference variables="1"/>
${method === 'INVITE' ? send('ACK') : ''}
</scenario>
`;
}

describe('sip', () => {
  const ask = async ({ port }: Served, ...request: [string, string, number, string]): Promise<void> => {
    const folder = makeFolder();
    try {
      const file = join(folder.path, 'scenario.xml');
      writeFileSync(file, sippScenario(...request));
      const args = [
        `127.0.0.1:${port}`,
        '-sf',
        file,
        '-m',
        '1',
        '-i',
        '127.0.0.1',
        '-nostdin',
        '-timeout',
        '20s',
      ];
      const { code, out } = await runTool('sipp', args, { cwd: folder.path });
      expect(out).toMatch(/Successful call +\| +\d+ +\| +1/);
      expect(code).toBe(0);
    } finally {
      folder.remove();
    }
  };

  itWithTool(
    'sipp',
    'answers sipp as its file says',
    async () => {
      await serveMockly(
        'sip',
        async (served) => {
          await ask(served, 'INVITE', 'sip:bob@shop.test', 486, 'Busy Here.*X-Desk: 3');
          await ask(served, 'REGISTER', 'sip:shop.test', 200, 'OK');
          await ask(served, 'MESSAGE', 'sip:clerk@bank.test', 202, 'Accepted.*noted');
        },
        { status: 408, reason: 'Slow' },
      );
    },
    40_000,
  );
});
