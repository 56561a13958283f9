import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer, type RunningServer } from '@backlot/conformance';

/** The zone of the tests. */
export const ZONE_FILE = fileURLToPath(new URL('files/example.zone', import.meta.url));

/** Starts nsd with the zone file of the tests, and one that may be transferred; it is ended after the test. */
export async function startNsd(afterThis: (end: () => unknown) => void): Promise<RunningServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'nsd-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'nsd.conf');
  writeFileSync(
    path.join(folder, 'small.zone'),
    '@ 60 IN SOA ns mail 1 2 3 4 5\n@ 60 IN NS ns\nns 60 IN A 192.0.2.53\n',
  );
  writeFileSync(
    file,
    `server:
  username: ""
  zonesdir: "${folder}"
  pidfile: ""
  database: ""
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  minimal-responses: yes
  refuse-any: no
  tcp-query-count: 0
remote-control:
  control-enable: no
zone:
  name: example.test
  zonefile: "${ZONE_FILE}"
zone:
  name: small.test
  zonefile: "small.zone"
  provide-xfr: 127.0.0.1 NOKEY
`,
  );
  const server = await startServer(
    'nsd',
    (port) => ['-d', '-c', file, '-a', '127.0.0.1', '-p', String(port)],
    'nsd started',
  );
  afterThis(() => server.stop());
  return server;
}
