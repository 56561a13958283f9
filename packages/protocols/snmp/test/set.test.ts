import { afterEach, describe, expect, it } from '@jest/globals';
import net from 'net-snmp';
import { itWithTool } from '@backlot/conformance';
import type { Host } from '@backlot/core';
import { cleanups, cleanUp, portOf, run, startHost } from './support.js';

const NAME = '1.3.6.1.2.1.1.5.0';
const PLACE = '1.3.6.1.2.1.1.6.0';
const SPEED = '1.3.6.1.2.1.2.2.1.5.1';
const V2C = ['-v2c', '-cpublic'];
const MOCKS = [
  { id: 'name', oid: NAME, value: 'router' },
  { id: 'place', oid: PLACE, value: 'rack {{rand_int 7 7}}' },
  { id: 'speed', oid: SPEED, type: 'gauge32', value: 10 },
  { id: 'in', oid: '1.3.6.1.2.1.31.1.1.1.6.1', type: 'counter64', value: 1 },
];

const start = (): Promise<Host> => startHost({ mocks: MOCKS });
const get = async (host: Host, oid: string): Promise<string> =>
  (await run('snmpget', host, V2C, [oid])).out.trim().replace(/^.* = /, '');

afterEach(cleanUp);

describe('SET', () => {
  itWithTool('snmpset', 'keeps values beside the mocks, until they change', async () => {
    const host = await start();
    const set = await run('snmpset', host, V2C, [
      NAME,
      's',
      'switch',
      PLACE,
      's',
      'rack 9',
      SPEED,
      'u',
      '4294967295',
    ]);
    expect(set.out).toContain(
      `.${NAME} = STRING: "switch"\n.${PLACE} = STRING: "rack 9"\n.${SPEED} = Gauge32: 4294967295`,
    );
    expect(await get(host, NAME)).toBe('STRING: "switch"');
    expect(await get(host, PLACE)).toBe('STRING: "rack 9"');
    const { mocks } = host.kind('snmp');
    expect(mocks.get('name')).toMatchObject({ value: 'router' });
    mocks.replace('name', { oid: NAME, value: 'replaced' });
    expect(await get(host, NAME)).toBe('STRING: "replaced"');
    mocks.remove('place');
    mocks.create({ id: 'place', oid: PLACE, value: 'rack 1' });
    expect(await get(host, PLACE)).toBe('STRING: "rack 1"');
    expect(await get(host, SPEED)).toBe('Gauge32: 4294967295');
  });

  itWithTool('snmpset', 'is undone by a reset and kept by snapshots', async () => {
    const host = await start();
    await run('snmpset', host, V2C, [NAME, 's', 'switch']);
    const { id } = host.snapshots.create();
    host.reset();
    expect(await get(host, NAME)).toBe('STRING: "router"');
    host.snapshots.restore(id);
    expect(await get(host, NAME)).toBe('STRING: "switch"');
  });

  itWithTool(
    'snmpset',
    'is all or nothing, and says what was wrong in the words of the version',
    async () => {
      const host = await start();
      const two = await run('snmpset', host, V2C, [NAME, 's', 'switch', SPEED, 'i', '5']);
      expect(two.err).toMatch(/wrongType[\s\S]*Failed object: \.1\.3\.6\.1\.2\.1\.2\.2\.1\.5\.1/);
      const unknown = await run('snmpset', host, V2C, [NAME, 's', 'switch', '1.3.6.1.4.1.1.0', 'i', '5']);
      expect(unknown.err).toContain('notWritable');
      const one = await run('snmpset', host, ['-v1', '-cpublic'], [SPEED, 'i', '5']);
      expect(one.err).toContain('(badValue)');
      const old = await run('snmpset', host, ['-v1', '-cpublic'], ['1.3.6.1.4.1.1.0', 'i', '5']);
      expect(old.err).toContain('(noSuchName)');
      expect(await get(host, NAME)).toBe('STRING: "router"');
    },
  );

  itWithTool('snmpset', 'goes to the mock whose state holds', async () => {
    const host = await startHost({
      mocks: [
        { id: 'day', oid: NAME, value: 'day', state: { key: 'time', value: 'day' } },
        { id: 'night', oid: NAME, value: 'night' },
      ],
    });
    await run('snmpset', host, V2C, [NAME, 's', 'dark']);
    expect(await get(host, NAME)).toBe('STRING: "dark"');
    host.state.setAll({ time: 'day' });
    expect(await get(host, NAME)).toBe('STRING: "day"');
    host.state.setAll({ time: 'later' });
    expect(await get(host, NAME)).toBe('STRING: "dark"');
  });

  it('takes Counter64 values of net-snmp, and shows in the journal what was set', async () => {
    const host = await start();
    const session = net.createSession('127.0.0.1', 'public', { port: portOf(host), version: net.Version2c });
    cleanups.push(() => session.close());
    const oid = '1.3.6.1.2.1.31.1.1.1.6.1';
    const value = Buffer.from('fffffffffffffffe', 'hex');
    await new Promise<void>((resolve, reject) =>
      session.set([{ oid, type: net.ObjectType.Counter64, value }], (error) =>
        error ? reject(error) : resolve(),
      ),
    );
    const [entry] = host.kind('snmp').calls.of('in').calls;
    expect(entry).toMatchObject({
      method: 'SET',
      path: oid,
      body: `${oid} = counter64: 18446744073709551614`,
      status: 'noError',
      response: { body: `${oid} = counter64: 18446744073709551614` },
    });
  });
});
