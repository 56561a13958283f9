import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, startServer, type RunningServer } from '@backlot/conformance';
import type { Host, Json } from '@backlot/core';
import { cleanUp, cleanups, linesOf, portOf, run, startHost } from './support.js';

afterEach(cleanUp);

async function startAgent(): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-snmpd-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'snmpd.conf');
  writeFileSync(
    file,
    'rwcommunity public\nrocommunity other\nsysDescr A {{real}} agent\nsysServices 72\nsysContact token AKIAIOSFODNN7EXAMPLE\n',
  );
  const agent = await startServer(
    'snmpd',
    (port) => ['-f', '-Lo', '-C', '-c', file, '-p', join(folder, 'pid'), `udp:127.0.0.1:${port}`],
    'NET-SNMP version',
  );
  cleanups.push(() => agent.stop());
  return agent;
}

const recorder = (port: number, mode: string, more: Json = {}): Promise<Host> =>
  startHost({ system: true, upstream: { url: `snmp://127.0.0.1:${port}`, mode }, ...more });

const V2 = ['-v2c', '-c', 'public'];
const SYSTEM = '.1.3.6.1.2.1.1';
/** What is another each time, or a secret. */
const CHANGES = /\.1\.1\.[34]\.0 =|\.25\.1\.1\.0 =/;

/** What net-snmp's tools are answered. */
async function ask(host: Host): Promise<string[]> {
  const answers = [
    await run('snmpwalk', host, V2, [SYSTEM]),
    await run('snmpwalk', host, ['-v1', '-c', 'public'], [`${SYSTEM}.9`]),
    await run('snmpget', host, V2, [`${SYSTEM}.1.0`, `${SYSTEM}.7.0`, `${SYSTEM}.2.0`]),
    await run('snmpbulkget', host, [...V2, '-Cr3'], [`${SYSTEM}.6`]),
    await run('snmpgetnext', host, V2, ['.1.3.6.1.2.1.2.2.1.6']),
  ];
  return answers.flatMap(({ out, err }) => linesOf(out + err)).filter((line) => !CHANGES.test(line));
}

describe('an upstream of SNMP', () => {
  itWithTool(
    'snmpd snmpget snmpwalk snmpbulkget snmpgetnext',
    'is recorded with net-snmp, and replayed with the agent ended',
    async () => {
      const agent = await startAgent();
      const recording = await recorder(agent.port, 'record_new');
      const real = await ask(recording);
      expect(real[0]).toBe('.1.3.6.1.2.1.1.1.0 = STRING: "A {{real}} agent"');
      expect(real.length).toBeGreaterThan(20);
      const entries = recording.journal.list();
      expect(entries[0]).toMatchObject({
        method: 'GETNEXT',
        path: '1.3.6.1.2.1.1',
        status: 'noError',
        response: { body: '1.3.6.1.2.1.1.1.0 = string: A {{real}} agent' },
        upstream: { answered: true, recorded_id: 'recorded:1.3.6.1.2.1.1.1.0' },
      });
      expect(entries.filter(({ upstream }) => upstream?.answered !== true)).toEqual([]);
      const mocks = recording.kind('snmp').mocks.list();
      expect(JSON.stringify([entries, mocks])).not.toContain('AKIA');
      expect(mocks).toContainEqual({
        id: 'recorded:1.3.6.1.2.1.1.7.0',
        oid: '1.3.6.1.2.1.1.7.0',
        type: 'integer',
        value: 72,
      });
      await agent.stop();
      const replayed = await startHost({
        system: true,
        upstream: { mode: 'replay' },
        mocks: structuredClone(mocks),
      });
      expect(await ask(replayed)).toEqual(real);
      expect(replayed.journal.list({ unmatched: true })).toEqual([]);
    },
  );

  itWithTool('snmpd snmpget snmpset', 'passes what is not read, and is compared with mocks', async () => {
    const agent = await startAgent();
    const spying = await recorder(agent.port, 'spy', {
      mocks: [{ oid: '1.3.6.1.2.1.1.5.0', type: 'string', value: 'a mock' }],
    });
    const name = `${SYSTEM}.5.0`;
    const services = `${SYSTEM}.7.0`;
    expect((await run('snmpget', spying, [...V2, '-Oqv'], [name])).out).toBe('"a mock"\n');
    expect((await run('snmpget', spying, [...V2, '-Oqv'], [services])).out).toBe('72\n');
    // A community that is not its own goes by.
    expect((await run('snmpget', spying, ['-v2c', '-c', 'other', '-Oqv'], [services])).out).toBe('72\n');
    expect(spying.journal.list()).toHaveLength(2);

    const comparing = await recorder(agent.port, 'diff', {
      mocks: [
        { oid: '1.3.6.1.2.1.1.7.0', type: 'integer', value: 72 },
        { oid: '1.3.6.1.2.1.1.1.0', type: 'string', value: 'another agent' },
      ],
    });
    for (const oid of ['7.0', '1.0']) await run('snmpget', comparing, V2, [`${SYSTEM}.${oid}`]);
    expect(comparing.journal.list().map(({ upstream }) => upstream?.differences)).toEqual([
      [],
      [
        'bindings /0: the mock has "1.3.6.1.2.1.1.1.0 = string: another agent", the upstream "1.3.6.1.2.1.1.1.0 = string: A {{real}} agent"',
      ],
    ]);
  });

  itWithTool('snmpd snmpget', 'is asked by v3 with its own users', async () => {
    const agent = await startAgent();
    const passing = await recorder(agent.port, 'passthrough');
    const { out, err } = await run(
      'snmpget',
      passing,
      ['-v3', '-u', 'nobody', '-l', 'noAuthNoPriv'],
      [`${SYSTEM}.1.0`],
    );
    // What the agent says of a user that it does not have.
    expect(out + err).toContain('Unknown user name');
    expect(portOf(passing)).toBeGreaterThan(0);
  });
});
