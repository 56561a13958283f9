import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, startServer } from '@backlot/conformance';
import { afterThis } from './support.js';

/** Where a server of somebody else listens. */
export interface Reference {
  readonly port: number;
  readonly pop3Port: number;
}

const NOBODY = 65_534;

/** Starts Dovecot with one user, `ann` with the password `secret`; it is stopped after the test. */
export async function startDovecot(): Promise<Reference> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-dovecot-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const mail = join(folder, 'mail');
  mkdirSync(mail);
  // Mail is not kept for root; any other user runs all parts of it.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(mail, NOBODY, NOBODY);
  const { username, uid, gid } = userInfo();
  const user = isRoot
    ? `mail_uid = ${NOBODY}\nmail_gid = ${NOBODY}`
    : `mail_uid = ${uid}\nmail_gid = ${gid}\nfirst_valid_uid = ${uid}\ndefault_login_user = ${username}\ndefault_internal_user = ${username}\ndefault_internal_group = ${execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()}`;
  writeFileSync(join(folder, 'users'), 'ann:{PLAIN}secret::::::\n');
  const pop3Port = await freePort();
  const server = await startServer(
    'dovecot',
    (port) => {
      const file = join(folder, 'dovecot.conf');
      writeFileSync(
        file,
        `${user}
first_valid_gid = 0
base_dir = ${folder}/run
state_dir = ${folder}/state
protocols = imap pop3
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
log_path = /dev/stderr
mail_location = maildir:${mail}/%u
namespace inbox {
  inbox = yes
  separator = /
}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = home=${mail}/%u
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service pop3-login {
  chroot =
  inet_listener pop3 {
    port = ${pop3Port}
  }
  inet_listener pop3s {
    port = 0
  }
}
`,
      );
      return ['-F', '-c', file];
    },
    'starting up',
  );
  afterThis(() => server.stop());
  return { port: server.port, pop3Port };
}
