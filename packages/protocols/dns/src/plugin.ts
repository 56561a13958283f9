import { checkAt, defineProtocol, parseDuration } from '@backlot/core/plugin';
import { INCIDENTS } from './incidents.js';
import { COMMAND } from './command-line.js';
import { explainEntry, readQuestion } from './message.js';
import { compileDns } from './matcher.js';
import { NameIndex } from './mock-index.js';
import { zonesOf } from './zone/load-zones.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import { parseRcode } from './wire/rcodes.js';

/** DNS over UDP and TCP. */
export const dns = defineProtocol({
  kind: 'dns',
  meta: {
    title: 'DNS',
    summary: 'A name server over UDP and TCP whose mocks are records.',
    transport: 'both',
    defaultPort: 5353,
    url: 'dns://{host}:{port}',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'all',
    schema: MockSchema,
    matching: {
      fields: ['name', 'type'],
      whole: (match) => ({ name: '*', type: 'ANY', ...match }),
    },
    examples: [
      { id: 'api', name: 'api.example.com', type: 'A', records: ['192.0.2.10', '192.0.2.11'], ttl: 30 },
      { id: 'mail', name: 'example.com', type: 'MX', records: ['10 mail.example.com'] },
      { id: 'spf', name: 'example.com', type: 'TXT', records: ['v=spf1 include:_spf.example.net ~all'] },
      { id: 'sip', name: '_sip._udp.example.com', type: 'SRV', records: ['10 5 5060 sip.example.com'] },
      { id: 'tenants', name: '*.tenants.example.com', type: 'CNAME', records: ['api.example.com'] },
      { id: 'gone', name: 're:^old-', rcode: 'NXDOMAIN' },
    ],
    compile: compileDns,
    answer: { fields: ['records', 'ttl', 'rcode'], direct: 'records' },
    view: { as: 'table', title: 'records', columns: ['name', 'type', 'records', 'ttl', 'rcode'] },
    index: () => new NameIndex(),
    patchTargets: { status: ['/rcode'], body: ['/records'] },
    explain: explainEntry,
    explained: {
      fields: { name: '/path', type: '/body' },
      line: { example: 'A www.example.com', read: readQuestion },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { rcode: 'SERVFAIL' },
    standing: ['ttl'],
    check({ rcode }) {
      if (rcode !== undefined) checkAt('/rcode', () => parseRcode(rcode));
    },
  },
  checkConfig({ idle_timeout: idleTimeout, wildcards, zones = [] }, index) {
    if (idleTimeout !== undefined) checkAt('/idle_timeout', () => parseDuration(idleTimeout));
    index.configure(zonesOf(zones), wildcards === 'rfc4592');
  },
  incidents: INCIDENTS,
  command: COMMAND,
  recording: { modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] },
  imports: {
    formats: { zone: 'DNS zone file' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  exports: {
    formats: { zone: 'DNS zone file' },
    load: async () => (await import('./exports/exporters.js')).exporters,
  },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createDnsService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createDnsService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createDnsService(context, new Relay(context, upstream));
  },
});
