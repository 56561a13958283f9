import { readFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { dns } from '../src/index.js';

const ZONE = [
  {
    ...{ name: 'example.test', type: 'SOA', ttl: 3600 },
    records: ['ns.example.test. admin.example.test. 1 7200 3600 1209600 300'],
  },
  { name: 'example.test', type: 'NS', ttl: 3600, records: ['ns.example.test.'] },
  { name: 'example.test', type: 'MX', ttl: 60, records: ['10 mail.example.test.'] },
  { name: 'www.example.test', type: 'A', ttl: 300, records: ['192.0.2.80', '192.0.2.81'] },
];

describeConformance(dns, {
  imports: [
    {
      format: 'zone',
      name: 'example.zone',
      content: readFileSync(new URL('files/example.zone', import.meta.url)),
    },
  ],
  exports: [
    { format: 'zone', settings: { dns: { mocks: ZONE } } },
    {
      format: 'zone',
      settings: { dns: { mocks: [...ZONE, { name: 're:^a', records: ['192.0.2.9'] }] } },
      losses: ['a name that is a pattern'],
    },
  ],
  mocks: {
    simple: { name: 'simple.test', records: ['192.0.2.1'] },
    changed: { name: 'simple.test', records: ['192.0.2.2'] },
    other: { name: 'other.test', records: ['192.0.2.3'] },
    template: { name: 'simple.test', records: ['192.0.2.{{default state.last "4"}}'] },
    bad: [
      { name: 'a.test', records: ['999.1.1.1'] },
      { name: `${'a'.repeat(64)}.test`, records: ['192.0.2.1'] },
      { name: 'a.test', type: 'NOSUCHTYPE', records: [] },
      { name: 'a.test', type: 'MX', records: ['mail'] },
      { name: 'a.test', rcode: 'NOSUCHCODE' },
    ],
  },
  answers: {
    simple: '192.0.2.1',
    changed: '192.0.2.2',
    other: '192.0.2.3',
    template: '192.0.2.4',
    unmatched: 'ENOTFOUND',
    fault: 'ESERVFAIL',
  },
  logged: { method: 'QUERY', path: 'simple.test' },
  connect,
});

/** The resolver of the system's C library, c-ares, as node carries it. */
async function connect({ host, port }: ListenAddress): Promise<ProbeClient> {
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`${host}:${port}`]);
  return {
    async send(message) {
      try {
        return (await resolver.resolve4(`${message}.test`)).join(' ');
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? String(error);
      }
    },
    close: () => resolver.cancel(),
  };
}
