import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from '@jest/globals';
import { itWithTool, PYTHON } from '@backlot/conformance';
import { makeFolder, runCommand } from './command.js';

const NODE_SCRIPT = fileURLToPath(new URL('./mail-urls.mjs', import.meta.url));
const PYTHON_SCRIPT = fileURLToPath(new URL('./mail-urls.py', import.meta.url));

const folder = makeFolder();
afterEach(() => folder.remove());

const CONFIG = `
protocols:
  smtp: {tls: {mode: starttls}}
  imap: {tls: {mode: starttls}, deliver: true, pop3_port: 0}
`;

itWithTool(
  'python3',
  'SMTP_URL and IMAP_URL are the ones of STARTTLS, and all that a program needs',
  async () => {
    writeFileSync(join(folder.path, 'backlot.yaml'), CONFIG);
    const both = `"$1" "$2" && "$3" "$4"`;
    const { code, stdout, stderr } = await runCommand(
      ['run', '--', 'sh', '-c', both, 'sh', process.execPath, NODE_SCRIPT, PYTHON, PYTHON_SCRIPT],
      { cwd: folder.path },
    );
    expect([code, stderr]).toEqual([0, '']);
    const [node = '', ...python] = stdout.trim().split('\n');
    expect(JSON.parse(node)).toEqual({
      SMTP_URL: expect.stringMatching(/^smtp:\/\/localhost:\d+$/),
      IMAP_URL: expect.stringMatching(/^imap:\/\/localhost:\d+$/),
      secure: true,
      subjects: ['by node', 'required'],
    });
    expect(python).toEqual(['True', "('OK', [b'3'])", '3']);
  },
);
