import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const BASE = 'dc=example,dc=com';

/** ldap3 reads the schema and the root DSE when it connects, and checks classes and attributes by them. */
const SCRIPT = `
import ssl, sys
from ldap3 import ALL, MODIFY_ADD, MODIFY_REPLACE, Connection, ObjectDef, Reader, Server, Tls

port = int(sys.argv[1])
base = 'dc=example,dc=com'
server = Server('127.0.0.1', port, get_info=ALL, tls=Tls(validate=ssl.CERT_NONE))
wrong = Connection(server, f'uid=ann,{base}', 'wrong')
print(wrong.bind(), wrong.result['description'])
c = Connection(server, f'cn=admin,{base}', 'admin', auto_bind='TLS_BEFORE_BIND', raise_exceptions=False)
print(c.extend.standard.who_am_i(), base in server.info.naming_contexts, 'inetOrgPerson' in server.schema.object_classes)
for n in range(3):
    print(c.add(f'uid=user{n},{base}', 'inetOrgPerson', {'cn': f'User {n}', 'sn': 'Ü', 'mail': f'{n}@example.com'}))
print(c.add(f'uid=user0,{base}', 'inetOrgPerson', {'cn': 'twice', 'sn': 'x'}), c.result['description'])
print(c.modify(f'uid=user0,{base}', {'mail': [(MODIFY_ADD, ['zero@example.com'])], 'sn': [(MODIFY_REPLACE, ['Null'])]}))
print(c.compare(f'uid=user0,{base}', 'mail', 'zero@example.com'), c.modify_dn(f'uid=user2,{base}', 'uid=user9'))
found = c.extend.standard.paged_search(base, '(&(objectClass=inetOrgPerson)(mail=*))', attributes=['uid', 'mail', 'sn'], paged_size=1, generator=False)
print([(e['dn'].split(',')[0], e['attributes']['mail'], e['attributes']['sn']) for e in found])
people = Reader(c, ObjectDef('inetOrgPerson', c), base, 'uid: user0')
people.search()
print([(str(p.cn), sorted(p.mail.values)) for p in people])
print(c.delete(f'uid=user9,{base}'), c.delete(f'uid=user9,{base}'), c.result['description'])
c.extend.standard.modify_password(f'uid=ann,{base}', 'secret', 'new')
print(c.result['description'], Connection(server, f'uid=ann,{base}', 'new').bind(), Connection(server, f'uid=ann,{base}', 'secret').bind())
c.unbind()
`;

describe('ldap3', () => {
  itWithTool('python3:ldap3', 'reads the schema, logs in over StartTLS, searches and changes', async () => {
    const { port } = await startHost({
      base_dn: BASE,
      tls: { self_signed: true },
      entries: [
        { dn: `cn=admin,${BASE}`, attributes: { objectClass: 'person', sn: 's', userPassword: 'admin' } },
        {
          dn: `uid=ann,${BASE}`,
          attributes: { objectClass: 'inetOrgPerson', cn: 'Ann', sn: 'Smith', userPassword: 'secret' },
        },
      ],
    });
    const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      'False invalidCredentials',
      `dn:cn=admin,${BASE} True True`,
      'True',
      'True',
      'True',
      'False entryAlreadyExists',
      'True',
      'True True',
      "[('uid=user0', ['0@example.com', 'zero@example.com'], ['Null']), ('uid=user1', ['1@example.com'], ['Ü']), ('uid=user9', ['2@example.com'], ['Ü'])]",
      "[('User 0', ['0@example.com', 'zero@example.com'])]",
      'True False noSuchObject',
      'success True False',
    ]);
  });
});
