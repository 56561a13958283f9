import { Type, checkAt, closedObject, defineProtocol, type Context, readWords } from '@backlot/core/plugin';
import { INCIDENTS } from './incidents.js';
import { COMMAND } from './command-line.js';
import { parseErrorStatus } from './error-status.js';
import { compileMock } from './matcher.js';
import { loadMibs } from './mib/load-mibs.js';
import { OidIndex } from './mock-index.js';
import { ConfigSchema, FaultSchema, MockSchema, TrapSchema } from './schemas.js';
import type { SnmpShape } from './shape.js';
import { explainEntry } from './message.js';
import { compileTrap } from './trap/compile-trap.js';
import { TRAP_ROUTES } from './trap/trap-routes.js';
import { checkConfig } from './users.js';

/** SNMP: an agent for v1, v2c and v3, and traps. */
export const snmp = defineProtocol({
  kind: 'snmp',
  meta: {
    title: 'SNMP',
    summary: 'An agent for v1, v2c and v3 whose mocks are the values of OIDs; sends traps and informs.',
    transport: 'datagram',
    defaultPort: 1161,
    url: 'snmp://{host}:{port}',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: MockSchema,
    matching: {
      fields: ['oid'],
      whole: (match) => ({ type: 'null', value: null, ...match }),
    },
    examples: [
      { id: 'descr', oid: '1.3.6.1.2.1.1.1.0', type: 'string', value: 'Mock router' },
      { id: 'uptime', oid: '1.3.6.1.2.1.1.3.0', type: 'timeticks', value: 123456 },
      { id: 'in', oid: '1.3.6.1.2.1.31.1.1.1.6.1', type: 'counter64', value: '18446744073709551615' },
      { id: 'mac', oid: '1.3.6.1.2.1.2.2.1.6.1', type: 'hex', value: '00:1b:44:11:3a:b7' },
      { id: 'load', oid: '1.3.6.1.4.1.2021.10.1.5.1', type: 'integer', value: '{{rand_int 0 100}}' },
    ],
    compile: compileMock,
    answer: { fields: ['type', 'value'], direct: 'value' },
    view: { as: 'table', title: 'objects', columns: ['oid', 'type', 'value'] },
    index: () => new OidIndex(),
    patchTargets: { body: ['/value'] },
    explain: explainEntry,
    explained: {
      fields: { oid: '/path' },
      line: {
        example: 'GET 1.3.6.1.2.1.1.1.0',
        read: readWords(['method', 'path'], ['GET', 'GETNEXT', 'GETBULK', 'SET']),
      },
    },
  },
  itemLists: {
    traps: {
      noun: 'trap',
      summary: 'Traps and informs, sent when they are asked for.',
      schema: TrapSchema,
      path: '/api/snmp/traps',
      routes: { replace: true, delete: true },
      configKey: 'traps',
      examples: [{ id: 'link-down', target: '127.0.0.1:1162', oid: '1.3.6.1.6.3.1.1.5.3' }],
      compile: compileTrap,
    },
  },
  emits: {
    summary: 'Sends a trap or an inform that is configured.',
    schema: closedObject({ trap: Type.String({ minLength: 1, description: 'The id of the trap.' }) }),
    examples: [{ trap: 'link-down' }],
  },
  routes: TRAP_ROUTES,
  fault: {
    schema: FaultSchema,
    default: { error_status: 'genErr' },
    standing: ['wrong_credentials'],
    check({ error_status: status }) {
      if (status !== undefined) checkAt('/error_status', () => parseErrorStatus(status));
    },
  },
  checkConfig(config, index) {
    checkConfig(config);
    index.names = loadMibs(config.mibs ?? []);
  },
  incidents: INCIDENTS,
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  imports: {
    formats: { snmpwalk: 'snmpwalk output', snmprec: 'snmprec' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  // defineProtocol does not infer what the items of lists compile to.
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createSnmpService } = await import('./server.js');
    const { NetSnmp } = await import('./wire/net-snmp.js');
    const own = context as unknown as Context<SnmpShape>;
    const library = await NetSnmp.load();
    const { upstream } = own;
    if (upstream?.isDecoded !== true) return createSnmpService(own, library);
    const { Relay } = await import('./upstream/relay.js');
    return createSnmpService(own, library, new Relay(own, upstream, library));
  },
});
