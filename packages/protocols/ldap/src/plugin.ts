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
    matching: {
      fields: [
        'operation',
        'base_dn',
        'exact_base',
        'search_scope',
        'filter',
        'requested',
        'bind_dn',
        'body',
      ],
    },
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
      {
        id: 'only-here',
        base_dn: 'ou=people,dc=example,dc=com',
        exact_base: true,
        search_scope: 'one',
        requested: ['cn'],
        entries: [{ dn: 'uid=bob,ou=people,dc=example,dc=com', attributes: { cn: 'Bob' } }],
      },
      {
        id: 'locked',
        operation: 'bind',
        base_dn: 'uid=eve,ou=people,dc=example,dc=com',
        exact_base: true,
        result_code: 'invalidCredentials',
        message: 'the account is locked',
      },
      {
        id: 'read-only',
        operation: 'add',
        base_dn: 'ou=old,dc=example,dc=com',
        result_code: 'unwillingToPerform',
      },
    ],
    compile: compileMock,
    answer: {
      fields: [
        'dn',
        'attributes',
        'entries',
        'references',
        'result_code',
        'matched_dn',
        'message',
        'referral',
      ],
      direct: 'entries',
    },
    index: () => new BaseIndex(),
    patchTargets: { status: ['/result_code'], body: ['/attributes'] },
    explain: explainEntry,
    explained: {
      fields: {
        operation: '/method',
        base_dn: '/path',
        dn: '/path',
        filter: '/body',
        body: '/body',
        search_scope: '/query/scope',
        requested: '/query/requested',
        bind_dn: '/query/bind_dn',
      },
    },
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
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
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
