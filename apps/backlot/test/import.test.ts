import { writeFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { connect as connectAmqp } from 'amqplib';
import { follow, makeFolder, runCommand, useOneProcess, type Ended } from './command.js';

const folder = makeFolder();
let server: ReturnType<typeof follow>;
let ports: Readonly<Record<string, string>>;
let url: string;
const runTogether = useOneProcess();

beforeAll(async () => {
  write(
    'backlot.yaml',
    'api: {port: 0}\nprotocols: {http: {port: 0}, dns: {port: 0}, ldap: {port: 0, base_dn: "dc=airius,dc=com"}, snmp: {port: 0, system: false}, amqp: {port: 0}, ftp: {port: 0}}\n',
  );
  server = follow(['start'], { cwd: folder.path });
  const [line] = await server.until(/^ready .*api=\S+/m);
  ports = Object.fromEntries(
    Array.from(line.matchAll(/(\w+)=\w+:\/\/[^ ]*?:(\d+)/g), ([, kind = '', port = '']) => [kind, port]),
  );
  url = `http://127.0.0.1:${ports['api']}`;
});
afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  folder.remove();
});

function write(name: string, text: string | Buffer): void {
  writeFileSync(join(folder.path, name), text);
}

function run(...args: readonly string[]): Promise<Ended> {
  return runTogether(['import', ...args], { cwd: folder.path, env: { BACKLOT_URL: url } });
}

describe('backlot import', () => {
  itWithTool('dig', 'fills a name server from a zone file', async () => {
    write(
      'example.zone',
      '$ORIGIN example.test.\n$TTL 1h\n@ SOA ns1 admin 1 2h 1h 2w 300\nwww 300 A 192.0.2.80\n    A 192.0.2.81\n@ MX 10 mail\n@ TXT "v=spf1 -all" "more"\n',
    );
    const { stdout, code } = await run('example.zone');
    expect([code, stdout]).toEqual([0, expect.stringContaining('created: 4 dns mocks')]);
    const dig = async (...args: string[]): Promise<string[]> =>
      (await runTool('dig', ['+short', `-p${ports['dns']}`, '@127.0.0.1', ...args])).out
        .trim()
        .split('\n')
        .sort();
    expect(await dig('www.example.test', 'A')).toEqual(['192.0.2.80', '192.0.2.81']);
    expect(await dig('example.test', 'MX')).toEqual(['10 mail.example.test.']);
    expect(await dig('example.test', 'TXT')).toEqual(['"v=spf1 -all" "more"']);
  });

  itWithTool('ldapsearch', 'fills a directory from LDIF, in any order', async () => {
    write(
      'people.ldif',
      'dn: cn=Barbara Jensen, ou=People, dc=airius, dc=com\nobjectclass: person\ncn: Barbara Jensen\nsn: Jensen\ndescription: a big sailing f\n an\n\ndn: ou=People,dc=airius,dc=com\nobjectclass: organizationalUnit\n',
    );
    const { stdout, code } = await run('people.ldif');
    expect([code, stdout]).toEqual([0, expect.stringContaining('created: 2 ldap entries')]);
    const found = await runTool('ldapsearch', [
      '-x',
      '-LLL',
      '-H',
      `ldap://127.0.0.1:${ports['ldap']}`,
      '-b',
      'dc=airius,dc=com',
      '(sn=jensen)',
      'description',
    ]);
    expect(found.out).toContain('description: a big sailing fan');
  });

  itWithTool('snmpwalk', 'takes back what snmpwalk prints', async () => {
    write(
      'walk.txt',
      '.1.3.6.1.2.1.1.1.0 = STRING: "a router"\n.1.3.6.1.2.1.1.3.0 = Timeticks: (195817) 0:32:38.17\n.1.3.6.1.2.1.2.2.1.6.1 = Hex-STRING: 00 1B 44 11 3A B7 \n.1.3.6.1.2.1.31.1.1.1.6.1 = Counter64: 18446744073709551615\n',
    );
    expect((await run('walk.txt')).stdout).toContain('created: 4 snmp mocks');
    const walk = async (): Promise<string> =>
      (await runTool('snmpwalk', ['-v2c', '-cpublic', '-On', `127.0.0.1:${ports['snmp']}`, '.1.3.6'])).out;
    const first = await walk();
    expect(first).toContain('Counter64: 18446744073709551615');
    write('again.txt', first);
    const again = await run('again.txt', '--replace');
    expect(again.stdout).toContain('replaced: 4 snmp mocks');
    expect(await walk()).toBe(first);
  });

  it('makes exchanges, queues and bindings of definitions', async () => {
    write(
      'definitions.json',
      JSON.stringify({
        exchanges: [{ name: 'orders', vhost: '/', type: 'topic', durable: true }],
        queues: [{ name: 'audit', vhost: '/', durable: true, arguments: {} }],
        bindings: [
          { source: 'orders', destination: 'audit', destination_type: 'queue', routing_key: 'order.#' },
        ],
      }),
    );
    expect((await run('definitions.json')).code).toBe(0);
    const connection = await connectAmqp(`amqp://127.0.0.1:${ports['amqp']}`);
    const channel = await connection.createConfirmChannel();
    channel.publish('orders', 'order.7.created', Buffer.from('hello'));
    await channel.waitForConfirms();
    const message = await channel.get('audit', { noAck: true });
    expect(message === false ? '' : message.content.toString()).toBe('hello');
    await connection.close();
  });

  itWithTool('curl', 'makes files of a folder', async () => {
    mkdirSync(join(folder.path, 'files', 'reports'), { recursive: true });
    write('files/reports/day.csv', 'id,total\n1,{{total}}\n');
    expect((await run('files')).stdout).toContain('created: 1 ftp files');
    const { out } = await runTool('curl', ['-s', `ftp://127.0.0.1:${ports['ftp']}/reports/day.csv`]);
    expect(out.replaceAll('\r\n', '\n')).toBe('id,total\n1,{{total}}\n');
  });

  it('writes what it makes of several files to one, which starts, and keeps what is there', async () => {
    write('requests.sh', "curl http://api.test/users/7 -H 'X-A: 1'\ncurl http://api.test/users/7\n");
    const args = ['requests.sh', 'walk.txt', 'people.ldif', '--out', 'mine.yaml'];
    expect((await run(...args)).code).toBe(0);
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining('mine.yaml is there already')]);
    const valid = await runCommand(['validate', 'mine.yaml'], { cwd: folder.path });
    expect(valid.stdout).toContain('valid (http 2, snmp 4, ldap 2)');
    expect(readFileSync(join(folder.path, 'mine.yaml'), 'utf8')).not.toContain('data:');
  });

  it('changes nothing where a file cannot be used', async () => {
    write('nothing.txt', 'nothing that is known\n');
    const unknown = await run('nothing.txt');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('none of the formats that can be imported; known are openapi'),
    ]);
    const conflict = await run('example.zone');
    expect([conflict.code, conflict.stderr]).toEqual([1, expect.stringContaining('ask for "replace"')]);
    expect((await run('nowhere.json')).stderr).toContain('there is no file "nowhere.json"');
  });
});
