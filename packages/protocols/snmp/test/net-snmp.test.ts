import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { NetSnmp } from '../src/wire/net-snmp.js';

const GET = Buffer.from(
  '302602010104067075626c6963a01902010702010002010030' + '0e300c06082b060102010103000500',
  'hex',
);

describe('what we use of net-snmp without its export', () => {
  it('is there, in the version that is pinned', async () => {
    const require = createRequire(import.meta.url);
    const { version } = JSON.parse(await readFile(require.resolve('net-snmp/package.json'), 'utf8'));
    expect(version).toBe('3.29.2');
    const own = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(own.dependencies['net-snmp']).toBe(version);
  });

  it('reads messages', async () => {
    const snmp = await NetSnmp.load();
    const message = snmp.read(GET);
    expect(message).toMatchObject({ version: 1, community: 'public', pdu: { type: 0xa0, id: 7 } });
    expect(message.pdu?.varbinds).toEqual([{ oid: '1.3.6.1.2.1.1.3.0', type: 5, value: null }]);
    expect(typeof message.checkAuthentication).toBe('function');
    expect(typeof message.decryptPdu).toBe('function');
  });

  it('writes v3 messages that it can read, signed and encrypted with our DES', async () => {
    const snmp = await NetSnmp.load();
    const user = {
      name: 'u',
      level: 3,
      authProtocol: 2,
      authKey: 'authpass1',
      privProtocol: 102,
      privKey: 'privpass1',
    };
    const engine = Buffer.from('8000b98304ff', 'hex');
    const octets = snmp.writeV3(
      user,
      { msgID: 5, msgMaxSize: 65_507, msgFlags: 3, msgSecurityModel: 3 },
      { msgAuthoritativeEngineID: engine, msgAuthoritativeEngineBoots: 3, msgAuthoritativeEngineTime: 4 },
      { pdu: GET.subarray(13), contextEngineID: engine, contextName: 'ctx' },
    );
    const read = snmp.read(octets);
    expect(read.pdu).toBeNull();
    expect(read.checkAuthentication(user, () => undefined)).toBe(true);
    expect(read.decryptPdu(user, () => undefined)).toBe(true);
    expect(read.pdu).toMatchObject({ type: 0xa0, id: 7, contextName: 'ctx', contextEngineID: engine });
    expect(read.checkAuthentication({ ...user, authKey: 'wrongpass' }, () => undefined)).toBe(false);
  });
});
