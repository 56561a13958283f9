// What a search costs: a bare ldapjs server (with setNoDelay) against this plugin with 1 and with 10,000 mocks; slapd, where it
// is installed, for scale.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '@backlot/core';
import { ldap } from '@backlot/ldap';
import {
  compareServers,
  countByMark,
  isInstalled,
  loadStreams,
  serveMocks,
  startProgram,
} from '@backlot/tooling/bench';
import ldapjs from 'ldapjs';

const MANY = 10_000;
const BASE = 'dc=example,dc=com';
/** The end of a search that went well: a SearchResultDone without its length and number. */
const DONE = '\x65\x07\x0a\x01\x00\x04\x00\x04\x00';

const nameOf = (n) => `u${String(n).padStart(5, '0')}`;
const dnOf = (n) => `uid=${nameOf(n)},${BASE}`;
const attributesOf = (n) => ({
  objectClass: ['inetOrgPerson'],
  uid: nameOf(n),
  cn: `Person ${nameOf(n)}`,
  sn: nameOf(n),
  mail: `${nameOf(n)}@example.com`,
});
const serve = serveMocks(createHost, ldap, (n) => ({
  base_dn: BASE,
  filter: `(uid=${nameOf(n)})`,
  dn: dnOf(n),
  attributes: attributesOf(n),
}));

await compareServers(import.meta.url, {
  name: 'ldap',
  unit: 'answer',
  servers: { bare: serveBare, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare ldapjs, setNoDelay', server: 'bare' },
    { label: '1 mock', server: 'one' },
    { label: '10,000 mocks', server: 'many', count: MANY },
  ],
  others: async (folder) => [await startSlapd(folder)],
  base: 'slapd',
  load: ({ port, count = 1 }, milliseconds) => {
    const searches = Array.from({ length: count }, (_, n) => encodeSearch(nameOf(n)));
    return loadStreams({
      port,
      milliseconds,
      connections: 8,
      underWay: 8,
      ask: (n, index) => numbered(searches[(index * 617 + n) % count], n),
      counter: () => countByMark(DONE),
    });
  },
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: '1 mock', of: 'slapd', goal: 1.6 },
    { what: '1 mock', of: 'bare ldapjs, setNoDelay' },
  ],
});

function serveBare() {
  const server = ldapjs.createServer();
  server.server.on('connection', (socket) => socket.setNoDelay(true));
  server.search(BASE, (request, response, next) => {
    const n = Number(request.filter.value.slice(1));
    response.send({ dn: dnOf(n), attributes: attributesOf(n) });
    response.end();
    next();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

async function startSlapd(folder) {
  if (!isInstalled('slapd')) return undefined;
  const configuration = join(folder, 'slapd.conf');
  const lines = [
    ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'database mdb',
    `suffix "${BASE}"`,
    `directory ${folder}`,
    'index uid eq',
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const attributes = Object.entries(attributesOf(0)).map(([name, value]) => `${name}: ${value}\n`);
  execFileSync('/usr/sbin/slapadd', ['-f', configuration], {
    input: [
      `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`,
      `dn: ${dnOf(0)}\n${attributes.join('')}`,
    ].join('\n'),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const started = await startProgram('slapd', (port) => {
    return ['-f', configuration, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'];
  });
  return started && { label: 'slapd', ...started };
}

/** The search with a message ID of its own among those under way. */
function numbered(search, n) {
  const octets = Buffer.from(search);
  octets[4] = 1 + (n % 127);
  return octets;
}

/** A search in one byte string. */
function encodeSearch(uid) {
  const element = (tag, ...parts) => {
    const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
    return Buffer.concat([Buffer.from([tag, content.length]), content]);
  };
  const limits = [0x0a, 1, 2, 0x0a, 1, 0, 2, 1, 0, 2, 1, 0, 1, 1, 0];
  const filter = element(0xa3, element(4, 'uid'), element(4, uid));
  return element(0x30, [2, 1, 1], element(0x63, element(4, BASE), limits, filter, element(0x30)));
}
