import { checkAt, defineProtocol, invalid, messageOf } from '@backlot/core/plugin';
import { INCIDENTS } from './incidents.js';
import { COMMAND } from './command-line.js';
import { BaseIndex } from './mock-index.js';
import { parseDn } from './data/dn.js';
import { explainEntry } from './message.js';
import { compileMock } from './matcher.js';
import { parseResultCode, RESULT } from './result-codes.js';
import { ENTRIES } from './sections/declaration.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { makeConfiguredEntries } from './settings.js';

/** LDAP version 3. */
export const ldap = defineProtocol({
  kind: 'ldap',
  meta: {
    title: 'LDAP',
    summary: 'A directory in memory that clients can search and change; mocks add answers to searches.',
    transport: 'stream',
    defaultPort: 3893,
    url: 'ldap://{host}:{port}',
    tls: 'starttls',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'all',
    schema: MockSchema,
    matching: { fields: ['base_dn', 'filter'] },
    examples: [
      {
        id: 'ada',
        base_dn: 'dc=example,dc=com',
        filter: '(uid=ada)',
        dn: 'uid=ada,ou=people,dc=example,dc=com',
        attributes: { objectClass: ['inetOrgPerson'], uid: 'ada', cn: 'Ada Lovelace', uidNumber: 1000 },
      },
      {
        id: 'groups',
        base_dn: 'ou=groups,dc=example,dc=com',
        entries: [
          {
            dn: 'cn=admins,ou=groups,dc=example,dc=com',
            attributes: { objectClass: 'groupOfNames', member: ['uid=ada,ou=people,dc=example,dc=com'] },
          },
        ],
      },
      { id: 'gone', base_dn: 'ou=old,dc=example,dc=com', result_code: 'noSuchObject' },
    ],
    compile: compileMock,
    answer: { fields: ['dn', 'attributes', 'entries', 'result_code', 'referral'], direct: 'entries' },
    index: () => new BaseIndex(),
    patchTargets: { status: ['/result_code'], body: ['/attributes'] },
    explain: explainEntry,
    explained: { fields: { base_dn: '/path', dn: '/path', filter: '/body' } },
  },
  data: { entries: ENTRIES },
  fault: {
    schema: FaultSchema,
    default: { result_code: RESULT.unavailable, message: 'fault injected' },
    login: true,
    check({ result_code: code, referral }) {
      if (code !== undefined && referral !== undefined)
        throw invalid('a fault with referral has the code 10; leave result_code out');
      if (code !== undefined) checkAt('/result_code', () => parseResultCode(code));
    },
  },
  checkConfig(config) {
    const { base_dn: base } = config;
    if (base !== undefined) {
      checkAt('/base_dn', () => {
        try {
          parseDn(base);
        } catch (thrown) {
          throw invalid(messageOf(thrown));
        }
      });
    }
    makeConfiguredEntries(config, { now: () => '', newUuid: () => '' });
  },
  incidents: INCIDENTS,
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'diff'] },
  imports: {
    formats: { ldif: 'LDIF' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  exports: {
    formats: { ldif: 'LDIF' },
    load: async () => (await import('./exports/exporters.js')).exporters,
  },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createLdapService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createLdapService(context);
    const { Relay } = await import('./upstream/relay.js');
    const { RelayedSession } = await import('./upstream/session.js');
    const relay = new Relay(context, upstream);
    return createLdapService(context, {
      take: (connection, services, startTls) =>
        void new RelayedSession(connection, context, {
          relay,
          known: services.known,
          ...(startTls && { startTls }),
        }),
      reset: () => relay.desk.reset(),
    });
  },
});
