import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { startServer, type RunningServer } from '@backlot/conformance';
import { afterThis } from './support.js';

/** The tool that a test with {@link startExim} needs. */
export const EXIM = 'exim4';

/**
 * Starts Exim for `ann@example.com` and `bob@example.com`, with a login of `ann` by `secret`: other recipients are refused,
 * `later@example.com` is deferred, and so are mails with spam in their subject refused. It is stopped after the test, if it was not.
 *
 * @param secure - what STARTTLS is done with, without which no mail is taken then
 */
export async function startExim(secure?: {
  readonly cert: string;
  readonly key: string;
}): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-exim-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  // Mail is not received as root.
  const user = process.getuid?.() === 0 ? 'Debian-exim' : userInfo().username;
  const spool = join(folder, 'spool');
  mkdirSync(spool);
  for (const each of [folder, spool]) chmodSync(each, 0o777);
  const file = join(folder, 'exim.conf');
  const certificate = join(folder, 'certificate.pem');
  if (secure !== undefined) {
    writeFileSync(certificate, `${secure.cert}\n${secure.key}`);
    chmodSync(certificate, 0o644);
  }
  writeFileSync(
    file,
    `exim_user = ${user}
spool_directory = ${spool}
log_file_path = ${folder}/%s
pid_file_path = ${folder}/pid
primary_hostname = mail.example.com
tls_advertise_hosts = ${secure === undefined ? '' : `*\ntls_certificate = ${certificate}\nacl_smtp_mail = mail`}
queue_only = true
keep_environment =
acl_smtp_rcpt = rcpt
acl_smtp_data = data
begin acl
mail:
  accept encrypted = *
  deny message = 5.7.0 Must issue a STARTTLS command first
rcpt:
  defer local_parts = later
    message = 4.2.1 come back
  deny !local_parts = ann : bob
    message = 5.1.1 there is no $local_part here
  accept
data:
  deny condition = \${if match{$h_subject:}{spam}}
    message = 5.7.1 no spam please
  accept
begin routers
hole:
  driver = redirect
  data = :blackhole:
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{ann}}{eq{$auth3}{secret}}}}
`,
  );
  const server = await startServer(
    EXIM,
    (port) => ['-C', file, '-bdf', '-v', '-oX', `127.0.0.1.${port}`],
    'listening for SMTP',
  );
  afterThis(() => server.stop());
  return server;
}
