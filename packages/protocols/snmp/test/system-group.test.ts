import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { cleanUp, linesOf, run, startHost as start } from './support.js';

const SYSTEM = '1.3.6.1.2.1.1';
const V2 = ['-v2c', '-c', 'public'];

const startHost = (settings: Json = {}): ReturnType<typeof start> => start({ system: true, ...settings });

afterEach(cleanUp);

describe('the system group', () => {
  itWithTool('snmpget', 'is walked and asked for without a mock', async () => {
    const host = await startHost();
    await host.clock.advance(12_340);
    const walked = await run('snmpwalk', host, V2, [SYSTEM]);
    const ticks = Number(/Timeticks: \((\d+)\)/.exec(walked.out)?.[1]);
    expect(ticks).toBeGreaterThanOrEqual(1234);
    // The clock goes on by itself, and the versions differ in how a walk ends.
    const still = (out: string): string =>
      out
        .replace(/\.3\.0 = Timeticks: .*/, '.3.0 = Timeticks')
        .replace(/\n.*No more variables.*|\nEnd of MIB/, '');
    expect(linesOf(still(walked.out))).toEqual([
      `.${SYSTEM}.1.0 = STRING: "Backlot"`,
      `.${SYSTEM}.2.0 = OID: .1.3.6.1.4.1.47491`,
      `.${SYSTEM}.3.0 = Timeticks`,
      `.${SYSTEM}.4.0 = ""`,
      `.${SYSTEM}.5.0 = STRING: "backlot"`,
      `.${SYSTEM}.6.0 = ""`,
      `.${SYSTEM}.7.0 = INTEGER: 72`,
      `.${SYSTEM}.8.0 = Timeticks: (0) 0:00:00.00`,
      `.${SYSTEM}.9.1.2.1 = OID: .1.3.6.1.6.3.1`,
      `.${SYSTEM}.9.1.2.2 = OID: .1.3.6.1.6.3.11.3.1.1`,
      `.${SYSTEM}.9.1.2.3 = OID: .1.3.6.1.6.3.15.2.1.1`,
      `.${SYSTEM}.9.1.3.1 = STRING: "The MIB module for SNMPv2 entities"`,
      `.${SYSTEM}.9.1.3.2 = STRING: "The MIB for Message Processing and Dispatching."`,
      `.${SYSTEM}.9.1.3.3 = STRING: "The management information definitions for the SNMP User-based Security Model."`,
      `.${SYSTEM}.9.1.4.1 = Timeticks: (0) 0:00:00.00`,
      `.${SYSTEM}.9.1.4.2 = Timeticks: (0) 0:00:00.00`,
      `.${SYSTEM}.9.1.4.3 = Timeticks: (0) 0:00:00.00`,
    ]);
    expect(still((await run('snmpbulkwalk', host, V2, [SYSTEM])).out)).toBe(still(walked.out));
    const v1 = await run('snmpwalk', host, ['-v1', '-c', 'public'], [SYSTEM]);
    expect(still(v1.out)).toBe(still(walked.out));
    const got = await run('snmpget', host, V2, [`${SYSTEM}.5.0`, `${SYSTEM}.5.1`, `${SYSTEM}.10.0`]);
    expect(linesOf(got.out)).toEqual([
      `.${SYSTEM}.5.0 = STRING: "backlot"`,
      `.${SYSTEM}.5.1 = No Such Instance currently exists at this OID`,
      `.${SYSTEM}.10.0 = No Such Object available on this agent at this OID`,
    ]);
    const set = await run('snmpset', host, V2, [`${SYSTEM}.5.0`, 's', 'x']);
    expect(set.err).toContain('Reason: notWritable');
    expect(host.journal.list({ unmatched: true }).map(({ method }) => method)).not.toContain('GETNEXT');
  });

  itWithTool('snmpstatus', 'is what snmpstatus begins with', async () => {
    const host = await startHost();
    await host.clock.advance(60_000);
    const { out } = await run('snmpstatus', host, V2, []);
    expect(linesOf(out)[0]).toMatch(/^\[UDP: .*\]=>\[Backlot\] Up: 0:01:/);
  });

  itWithTool(
    'snmpwalk',
    'leaves an OID to its mocks, even to those that do not match, and comes between them',
    async () => {
      const host = await startHost({
        mocks: [
          { id: 'before', oid: '1.3.6.1.2.1.0.1', value: 'before' },
          { id: 'descr', oid: `${SYSTEM}.1.0`, value: 'router', state: { key: 'up', value: 'yes' } },
          { id: 'name', oid: `${SYSTEM}.5.0`, value: 'r1', times: 1 },
          { id: 'own', oid: `${SYSTEM}.6.1`, value: 'own' },
          { id: 'after', oid: '1.3.6.1.2.1.2.1.0', value: 1 },
        ],
      });
      const walk = async (tool: string): Promise<string[]> =>
        linesOf((await run(tool, host, V2, ['1.3.6.1.2.1'])).out)
          .filter((line) => !line.includes('No more variables'))
          .map((line) => line.slice('.1.3.6.1.2.1.'.length).split(' ')[0] ?? '')
          .filter((oid) => !oid.startsWith('1.9.'));
      const rest = ['1.6.0', '1.6.1', '1.7.0', '1.8.0', '2.1.0'];
      expect(await walk('snmpwalk')).toEqual(['0.1', '1.2.0', '1.3.0', '1.4.0', '1.5.0', ...rest]);
      expect(await walk('snmpbulkwalk')).toEqual(['0.1', '1.2.0', '1.3.0', '1.4.0', ...rest]);
      host.state.setAll({ up: 'yes' });
      expect(await walk('snmpbulkwalk')).toEqual(['0.1', '1.1.0', '1.2.0', '1.3.0', '1.4.0', ...rest]);
      expect((await run('snmpget', host, V2, [`${SYSTEM}.1.0`])).out).toContain('"router"');
      host.kind('snmp').mocks.remove('name');
      expect((await run('snmpget', host, V2, [`${SYSTEM}.5.0`])).out).toContain('"backlot"');
    },
  );

  itWithTool('snmpget', 'counts no call of the mock behind it, and is switched off', async () => {
    const host = await startHost({ mocks: [{ id: 'after', oid: '1.3.6.1.2.1.2.1.0', value: 1, times: 1 }] });
    await run('snmpgetnext', host, V2, ['1.3']);
    expect((await run('snmpget', host, V2, ['1.3.6.1.2.1.2.1.0'])).out).toContain('INTEGER: 1');
    const bare = await startHost({ system: false });
    expect((await run('snmpget', bare, V2, [`${SYSTEM}.1.0`])).out).toContain('No Such Object');
    expect((await run('snmpgetnext', bare, V2, ['1.3'])).out).toContain('No more variables');
  });
});
