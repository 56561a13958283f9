import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';

const run = promisify(execFile);
const backlot = useBacklot({ services: ['pagerduty'], settings: { http: { tls: { self_signed: true } } } });
const folder = mkdtempSync(join(tmpdir(), 'backlot-pagerduty-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the certificate of the port into a file. */
async function keepCertificate(): Promise<string> {
  const { hostname: host, port } = new URL(backlot.env.PAGERDUTY_URL);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  const file = join(folder, 'ca.pem');
  const lines = raw.toString('base64').replace(/.{64}/g, '$&\n');
  writeFileSync(file, `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
  return file;
}

const SCRIPT = `
const { api, event } = require('@pagerduty/pdjs');
const { PAGERDUTY_SERVER: server, PAGERDUTY_TOKEN: token, PAGERDUTY_ROUTING_KEY: routing_key } = process.env;
(async () => {
  const payload = { summary: 'The disk is full', source: 'shop-1', severity: 'critical' };
  const sent = await event({ server, data: { routing_key, event_action: 'trigger', dedup_key: 'k', payload } });
  const pd = api({ server, token });
  const { resource } = await pd.get('/incidents');
  const users = await pd.all('/users', { data: { limit: 1 } });
  console.log(JSON.stringify([sent.data.status, resource[0].title, users.resource.length]));
})();
`;

describe('with TLS', () => {
  it('the SDK needs its server and the certificate alone', async () => {
    const { stdout } = await run(process.execPath, ['-e', SCRIPT], {
      cwd: dirname(fileURLToPath(import.meta.url)),
      env: { ...process.env, ...backlot.env, NODE_EXTRA_CA_CERTS: await keepCertificate() },
    });
    expect(JSON.parse(stdout)).toEqual(['success', 'The disk is full', 2]);
    expect(backlot.env.PAGERDUTY_URL).toMatch(/^https:/);
  });
});
