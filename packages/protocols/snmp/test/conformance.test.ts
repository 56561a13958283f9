import net from 'net-snmp';
import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { snmp } from '../src/index.js';

const OIDS = { simple: '1.3.6.1.4.1.99.5.0', other: '1.3.6.1.4.1.99.6.0', unmatched: '1.3.6.1.4.1.9.1.0' };

describeConformance(snmp, {
  imports: [
    {
      format: 'snmpwalk',
      name: 'walk.txt',
      content: `.1.3.6.1.2.1.1.1.0 = STRING: Linux underpass 5.15.0
.1.3.6.1.2.1.1.2.0 = OID: .1.3.6.1.4.1.8072.3.2.10
.1.3.6.1.2.1.1.3.0 = Timeticks: (195817) 0:32:38.17
iso.3.6.1.2.1.1.4.0 = STRING: "steve"
.1.3.6.1.2.1.1.7.0 = INTEGER: 72
.1.3.6.1.2.1.2.2.1.6.1 = Hex-STRING: 00 1B 44 11 3A B7
.1.3.6.1.2.1.2.2.1.5.1 = Gauge32: 10000000
.1.3.6.1.2.1.31.1.1.1.6.1 = Counter64: 18446744073709551615
.1.3.6.1.2.1.4.20.1.1.127.0.0.1 = IpAddress: 127.0.0.1
.1.3.6.1.2.1.2.2.1.22.1 = ""
`,
    },
    {
      format: 'snmprec',
      name: 'public.snmprec',
      content: `1.3.6.1.2.1.1.1.0|4|Linux zeus 4.8.6
1.3.6.1.2.1.1.2.0|6|1.3.6.1.4.1.8072.3.2.10
1.3.6.1.2.1.1.3.0|67|123999999
1.3.6.1.2.1.2.2.1.6.2|4x|00127962f940
1.3.6.1.2.1.4.20.1.1.1|64x|c0a80001
1.3.6.1.2.1.2.2.1.10.1|65:numeric|rate=10
`,
    },
  ],
  mocks: {
    simple: { oid: OIDS.simple, value: 'one' },
    changed: { oid: OIDS.simple, value: 'two' },
    other: { oid: OIDS.other, type: 'integer', value: 3 },
    template: { oid: OIDS.simple, value: 'asked for {{request.oid}}' },
    bad: [
      { oid: 'noSuchName.0', value: 'x' },
      { oid: '1', value: 'x' },
      { oid: '3.1.1', value: 'x' },
      { oid: '1.40.1', value: 'x' },
      { oid: '1.3.4294967296', value: 'x' },
      { oid: '1.3.6.1', type: 'integer', value: 'abc' },
      { oid: '1.3.6.1', type: 'integer', value: 2147483648 },
      { oid: '1.3.6.1', type: 'gauge32', value: -1 },
      { oid: '1.3.6.1', type: 'counter64', value: '18446744073709551616' },
      { oid: '1.3.6.1', type: 'ipaddress', value: '999.1.1.1' },
      { oid: '1.3.6.1', type: 'oid', value: 'sysName' },
      { oid: '1.3.6.1', type: 'hex', value: 'abc' },
      { oid: '1.3.6.1', type: 'null', value: 'x' },
      { oid: '1.3.6.1', type: 'timeticks' },
      { oid: '1.3.6.1', type: 'float', value: 1 },
      { oid: '1.3.6.1', value: '{{#open}}' },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: '3',
    template: `asked for ${OIDS.simple}`,
    unmatched: 'missing',
    fault: 'GeneralError',
  },
  logged: { method: 'GET', path: OIDS.simple },
  connect,
});

/** The session of net-snmp, in v2c. */
async function connect({ host, port }: ListenAddress): Promise<ProbeClient> {
  const session = net.createSession(host, 'public', {
    port,
    version: net.Version2c,
    timeout: 60_000,
    retries: 0,
  });
  session.on('error', () => undefined);
  return {
    send: (message) =>
      new Promise((resolve) => {
        session.get([OIDS[message]], (error, varbinds) => {
          const [first] = varbinds ?? [];
          if (error !== null || first === undefined) {
            resolve(net.ErrorStatus[(error as { status?: number } | null)?.status ?? -1] ?? String(error));
          } // noSuchInstance while the object is known, as by a mock whose state does not hold; else noSuchObject.
          else if (net.isVarbindError(first)) resolve('missing');
          else resolve(String(first.value));
        });
      }),
    close: () => session.close(),
  };
}
