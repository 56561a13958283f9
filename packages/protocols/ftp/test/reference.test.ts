import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool, startServer } from '@backlot/conformance';
import { afterThis, startHost } from './support.js';

const SCRIPT = fileURLToPath(new URL('reference.py', import.meta.url));
const NOBODY = { uid: 65_534, gid: 65_534 };

/** `secret`, as crypt writes it with SHA-512. */
const HASH =
  '$6$backlot$9pyFSy.BJ1deBrpbY4eBmWqy52uO8dK0hEOgkjhDOik88xdjeO2vgv4.Kl5WXtGY3eG9Szd.sEYRWyR7uuJeX/';

/** Starts ProFTPD with one user, `ann` with the password `secret`; it is stopped after the test. */
async function startReference(): Promise<{ readonly port: number; readonly root: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-proftpd-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const home = join(folder, 'home');
  mkdirSync(home);
  // Nobody logs in as root; only root may make a folder the root of a session.
  const isRoot = process.getuid?.() === 0;
  const { uid, gid } = isRoot ? NOBODY : userInfo();
  const passwords = join(folder, 'passwd');
  writeFileSync(passwords, `ann:${HASH}:${uid}:${gid}::${home}:/bin/false\n`);
  for (const path of [folder, home, passwords]) if (isRoot) chownSync(path, uid, gid);
  chmodSync(folder, 0o755);
  chmodSync(passwords, 0o600);
  const { port, stop } = await startServer(
    'proftpd',
    (free) => {
      const file = join(folder, 'proftpd.conf');
      writeFileSync(
        file,
        `ServerName reference
ServerType standalone
DefaultAddress 127.0.0.1
Port ${free}
UseIPv6 off
${isRoot ? 'User nobody\nGroup nogroup' : `User ${userInfo().username}\nGroup ${execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()}`}
PidFile ${folder}/pid
ScoreboardFile ${folder}/scoreboard
DelayEngine off
ControlsEngine off
UseReverseDNS off
AuthOrder mod_auth_file.c
AuthUserFile ${passwords}
RequireValidShell off
UseFtpUsers off
WtmpLog off
TransferLog none
AllowOverwrite on
AllowStoreRestart on
AllowRetrieveRestart on
TimesGMT on
${isRoot ? 'DefaultRoot ~' : 'DefaultChdir ~'}
`,
      );
      return ['-n', '-c', file];
    },
    'standalone mode STARTUP',
  );
  afterThis(stop);
  return { port, root: isRoot ? '/' : home };
}

/** What is said of a command that is not understood, and of a path that does not serve: servers choose among these. */
const ALIKE = [
  [/-> 50[0124]$/gm, '-> 50x'],
  [/-> 55[03]$/gm, '-> 55x'],
] as const;

/** What ftplib is told by a server whose files are below a folder. */
async function converse(port: number, root: string): Promise<readonly string[]> {
  const { out, err, code } = await runTool(PYTHON, [SCRIPT, String(port), root]);
  expect([err, code]).toEqual(['', 0]);
  const bare = root === '/' ? out : out.replaceAll(`${root}/`, '/').replaceAll(root, '/');
  return ALIKE.reduce((text, [codes, name]) => text.replaceAll(codes, name), bare).split('\n');
}

itWithTool('proftpd python3', 'a session of FTP is answered as by ProFTPD', async () => {
  const { port } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
  const reference = await startReference();
  expect(await converse(port, '/')).toEqual(await converse(reference.port, reference.root));
});
