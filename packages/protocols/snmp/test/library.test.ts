import { describe, expect, it } from '@jest/globals';
import { describePrivateNames, type PrivateName } from '@backlot/conformance';
import net from 'net-snmp';
import { NetSnmp, type LibraryMessage } from '../src/wire/net-snmp.js';

type Members = Readonly<Record<string, unknown>>;

const GET = Buffer.from(
  '302602010104067075626c6963a01902010702010002010030' + '0e300c06082b060102010103000500',
  'hex',
);
/** A session sends from a socket, which is none here. */
const silent = {
  on: () => silent,
  bind: () => silent,
  close: () => silent,
  send: () => silent,
  unref: () => silent,
};
const agent = net.createAgent({ dgramModule: { createSocket: () => silent } }, () => undefined);
const library = net as unknown as Members;

function name(full: string, use: string, find: () => unknown, type?: PrivateName['type']): PrivateName {
  return { name: full, use: `${use}, in src/wire/net-snmp.ts`, find, ...(type && { type }) };
}

function inDes(full: string, use: string, find: () => unknown, type?: PrivateName['type']): PrivateName {
  return { name: full, use: `${use}, in src/wire/des.ts`, find, ...(type && { type }) };
}

async function read(): Promise<LibraryMessage & Members> {
  return (await NetSnmp.load()).read(GET) as LibraryMessage & Members;
}

async function messageClass(): Promise<Members> {
  return (await read()).constructor as unknown as Members;
}

/** What a session hands to the socket. */
async function sentTrap(): Promise<Members> {
  const session = net.createSession('127.0.0.1', 'public', {
    dgramModule: { createSocket: () => silent },
  });
  let sent: Members | undefined;
  (session as unknown as { send(request: Members): void }).send = (request) => (sent = request);
  session.trap('1.3.6.1', [], () => undefined);
  session.close();
  return sent?.['message'] as Members;
}

function algorithm(): Members | undefined {
  return (library['Encryption'] as { algorithms: Record<number, Members> }).algorithms[2];
}

describePrivateNames({ name: 'net-snmp', testUrl: import.meta.url }, [
  name(
    'Agent.onMsg',
    'takes a datagram, which shows the class of messages',
    () => (agent as unknown as Members)['onMsg'],
  ),
  name(
    'Agent.getRequest',
    'is given the message of a GET, whose class is taken',
    () => (agent as unknown as Members)['getRequest'],
  ),
  name('Message', 'reads and writes messages', async () => (await read()).constructor),
  name('Message.createFromBuffer', 'reads a message', async () => (await messageClass())['createFromBuffer']),
  name('Message.createV3', 'writes a message of v3', async () => (await messageClass())['createV3']),
  name(
    'Message.prototype.checkAuthentication',
    'checks a signature',
    async () => (await read())['checkAuthentication'],
  ),
  name('Message.prototype.decryptPdu', 'decrypts', async () => (await read())['decryptPdu']),
  name('Message.prototype.toBuffer', 'writes', async () => (await read())['toBuffer']),
  name(
    'Session.prototype.send',
    'sends a trap; what the library has no option for is put into it there',
    () => (net.Session.prototype as unknown as Members)['send'],
  ),
  name('the message that Session.send is given', 'is changed before it is sent', sentTrap, 'object'),
  name(
    'the PDU of that message',
    'is given the fields of a trap of v1',
    async () => (await sentTrap())['pdu'],
    'object',
  ),
  inDes(
    'Authentication.passwordToKey',
    'makes a key of a password',
    () => (library['Authentication'] as Members)['passwordToKey'],
  ),
  inDes(
    'Encryption.algorithms',
    'is the list that DES is added to',
    () => (library['Encryption'] as Members)['algorithms'],
    'object',
  ),
  inDes(
    'Encryption.algorithms[2].encryptPdu',
    'is what DES is put in place of',
    () => algorithm()?.['encryptPdu'],
  ),
  inDes(
    'Encryption.algorithms[2].decryptPdu',
    'is what DES is put in place of',
    () => algorithm()?.['decryptPdu'],
  ),
  inDes(
    'Encryption.algorithms[2].localizationAlgorithm',
    'is taken over for our DES',
    () => algorithm()?.['localizationAlgorithm'],
  ),
]);

describe('what net-snmp does without an export', () => {
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
