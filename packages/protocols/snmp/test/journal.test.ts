import { afterEach, describe, expect, it } from '@jest/globals';
import net from 'net-snmp';
import { eventually, itWithTool } from '@backlot/conformance';
import type { Host } from '@backlot/core';
import { cleanups, cleanUp, portOf, run, startHost } from './support.js';

const A = '1.3.6.1.4.1.99.1.0';
const B = '1.3.6.1.4.1.99.2.0';
const C = '1.3.6.1.4.1.99.3.0';
const V2C = ['-v2c', '-cpublic'];

const start = (more: object = {}): Promise<Host> =>
  startHost({
    mocks: [
      { id: 'a', oid: A, value: 'one', ...more },
      { id: 'b', oid: B, type: 'int', value: 2 },
    ],
  });

function open(host: Host, options: object = {}): net.Session {
  const session = net.createSession('127.0.0.1', 'public', {
    port: portOf(host),
    version: net.Version2c,
    retries: 0,
    ...options,
  });
  cleanups.push(() => session.close());
  return session;
}

function getRaw(session: net.Session, oids: string[]): Promise<unknown[]> {
  return new Promise((resolve, reject) =>
    session.get(oids, (error, varbinds) =>
      error ? reject(error) : resolve(varbinds?.map(({ value }) => value) ?? []),
    ),
  );
}

async function get(session: net.Session, oids: string[]): Promise<string[]> {
  return (await getRaw(session, oids)).map(String);
}

afterEach(cleanUp);

describe('the journal', () => {
  itWithTool('snmpget', 'names operation and OID, and counts every mock that answered', async () => {
    const host = await start();
    await run('snmpget', host, V2C, [A, B, C]);
    await run('snmpgetnext', host, V2C, [A]);
    await run('snmpbulkget', host, V2C, ['1.3.6.1.4']);
    await run('snmpget', host, V2C, [C]);
    const entries = host.journal.list();
    expect(entries).toMatchObject([
      {
        method: 'GET',
        path: A,
        body: [A, B, C].join('\n'),
        status: 'noError',
        matched_id: 'a',
        response: { body: `${A} = string: one\n${B} = integer: 2\n${C} = noSuchObject` },
      },
      { method: 'GETNEXT', path: A, matched_id: 'b', response: { body: `${B} = integer: 2` } },
      { method: 'GETBULK', path: '1.3.6.1.4', matched_id: 'a' },
      {
        method: 'GET',
        path: C,
        near_misses: [{ mock_id: 'a', reason: `OID: got ${C}, want ${A}` }, { mock_id: 'b' }],
      },
    ]);
    const { calls } = host.kind('snmp');
    expect([calls.of('a').count, calls.of('b').count]).toEqual([2, 3]);
    expect(host.kind('snmp').explain(entries[1]).mock_id).toBe('b');
    expect(host.kind('snmp').explain({ method: 'GETNEXT', path: 'x' }).outcome).toBe('unmatched');
  });

  itWithTool('snmpwalk', 'takes the end of a walk for no missing mock', async () => {
    const host = await start();
    await run('snmpwalk', host, V2C, ['1.3.6.1.4']);
    await run('snmpwalk', host, ['-v1', '-cpublic'], ['1.3.6.1.4']);
    await run('snmpgetnext', host, V2C, [B]);
    expect(host.journal.list({ unmatched: true })).toEqual([]);
    expect(host.journal.list().at(-1)).toMatchObject({ path: B, response: { body: `${B} = endOfMibView` } });
    await run('snmpget', host, V2C, [C]);
    host.kind('snmp').mocks.remove('a');
    host.kind('snmp').mocks.remove('b');
    await run('snmpgetnext', host, V2C, [B]);
    expect(host.journal.list({ unmatched: true }).map(({ path }) => path)).toEqual([C, B]);
  });

  it('tells what a template made that does not fit its type', async () => {
    const host = await startHost({
      mocks: [{ id: 'a', oid: A, type: 'integer', value: '{{request.version}}' }],
    });
    await expect(get(open(host), [A])).rejects.toThrow('GeneralError: ' + A);
    expect(host.journal.list()).toMatchObject([
      {
        status: 'genErr',
        response: { body: expect.stringContaining('mock "a", /value: must be an integer') },
      },
    ]);
  });
});

describe('templates', () => {
  it('see the request', async () => {
    const host = await startHost({
      mocks: [
        {
          oid: A,
          value:
            '{{request.method}} {{request.oid}} {{request.version}} {{request.community}} {{request.bindings.1.oid}}',
        },
        { oid: B, type: 'counter64', value: '{{default state.total "18446744073709551615"}}' },
      ],
    });
    expect(await getRaw(open(host), [A, B])).toEqual([
      Buffer.from(`GET ${A} 2c public ${B}`),
      Buffer.from('00ffffffffffffffff', 'hex'),
    ]);
  });
});

describe('mocks', () => {
  it('of one OID take turns by state, times and priority, and walks pass over those that are absent', async () => {
    const host = await startHost({
      mocks: [
        { id: 'once', oid: A, value: 'once', times: 1 },
        { id: 'down', oid: A, value: 'down', state: { key: 'link', value: 'down' } },
        { id: 'hidden', oid: B, value: 'hidden', state: { key: 'link', value: 'down' } },
        { id: 'last', oid: C, value: 'last', set_state: { link: 'down' } },
      ],
    });
    const session = open(host);
    const next = (oid: string): Promise<string[]> =>
      new Promise((resolve, reject) =>
        session.getNext([oid], (error, varbinds) =>
          error ? reject(error) : resolve(varbinds?.map((each) => each.oid) ?? []),
        ),
      );
    expect(await next('1.3.6.1.4')).toEqual([A]);
    expect(await next('1.3.6.1.4')).toEqual([C]);
    expect(await next('1.3.6.1.4')).toEqual([A]);
    expect(await next(A)).toEqual([B]);
    expect(await get(session, [A, B])).toEqual(['down', 'hidden']);
  });

  it('that are absent in great number are passed over once for a request', async () => {
    const absent = { key: 'never', value: 'yes' };
    const host = await startHost({
      mocks: [
        ...Array.from({ length: 5_000 }, (_, row) => ({
          oid: `1.3.6.1.4.1.98.${row}`,
          value: 1,
          state: absent,
        })),
        { id: 'a', oid: A, value: 'one' },
      ],
    });
    const session = open(host);
    const oids = Array.from({ length: 1_000 }, () => '1.3.6.1.4.1.98');
    const before = process.cpuUsage();
    const found = await new Promise((resolve, reject) =>
      session.getNext(oids, (error, varbinds) =>
        error ? reject(error) : resolve(new Set(varbinds?.map(({ oid }) => oid))),
      ),
    );
    expect(found).toEqual(new Set([A]));
    expect(host.kind('snmp').calls.of('a').count).toBe(1_000);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('change at once, the order of walks included', async () => {
    const host = await start();
    const session = open(host);
    const walk = (): Promise<string[]> =>
      new Promise((resolve, reject) => {
        const found: string[] = [];
        session.walk(
          '1.3.6.1.4.1.99',
          5,
          (varbinds) => void found.push(...varbinds.map(({ oid }) => oid)),
          (error) => (error ? reject(error) : resolve(found)),
        );
      });
    expect(await walk()).toEqual([A, B]);
    const { mocks } = host.kind('snmp');
    mocks.create({ id: 'c', oid: '1.3.6.1.4.1.99.1.5', value: 'between' });
    expect(await walk()).toEqual([A, '1.3.6.1.4.1.99.1.5', B]);
    mocks.remove('a');
    mocks.replace('b', { oid: C, value: 'moved' });
    expect(await walk()).toEqual(['1.3.6.1.4.1.99.1.5', C]);
    host.reset();
    expect(await walk()).toEqual([A, B]);
  });

  it('wait for the longest delay among the OIDs of a request', async () => {
    const host = await startHost({
      mocks: [
        { id: 'a', oid: A, value: 'one', delay: '1s' },
        { id: 'b', oid: B, value: 'two', delay: '10s' },
      ],
    });
    host.clock.freeze(true);
    let isAnswered = false;
    const answer = get(open(host, { timeout: 60_000 }), [A, B]).finally(() => (isAnswered = true));
    await eventually(() => host.kind('snmp').calls.of('a').count === 1);
    await host.clock.advance(9_000);
    expect(isAnswered).toBe(false);
    await host.clock.advance(1_000);
    expect(await answer).toEqual(['one', 'two']);
  });
});

describe('faults', () => {
  itWithTool('snmpget', 'answer with an error status, and a text where there is room for one', async () => {
    const host = await start();
    const said = async (words: readonly string[], fault: object): Promise<string> => {
      host.faults.set('snmp', { ...fault });
      return (await run('snmpget', host, [...words, '-Cf'], [A, B])).err;
    };
    expect(await said(V2C, {})).toMatch(/\(genError\)[\s\S]*Failed object: \.1\.3\.6\.1\.4\.1\.99\.1\.0/);
    expect(await said(V2C, { error_status: 'RESOURCEUNAVAILABLE' })).toContain('resourceUnavailable');
    expect(await said(V2C, { error_status: 16 })).toContain('authorizationError');
    expect(await said(V2C, { error_status: 'tooBig' })).toContain('(tooBig)');
    expect(await said(['-v1', '-cpublic'], { error_status: 'wrongType' })).toContain('(badValue)');
    // The dump of the packet: net-snmp shows no values of a response that is an error.
    expect(await said([...V2C, '-d'], { message: 'out of' })).toMatch(/6F +75 +74 +20 +6F/);
    expect(host.journal.list().at(-1)).toMatchObject({
      fault: true,
      status: 'genErr',
      response: { body: 'out of' },
    });
    expect(await said([...V2C, '-t', '0.3'], { drop: true })).toContain('Timeout');
  });

  it('that are bad are refused', async () => {
    const host = await start();
    for (const status of ['noError', 0, 19, 'broken']) {
      expect(() => host.faults.set('snmp', { error_status: status })).toThrow('error_status');
    }
  });
});
