import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { afterThis, startHost } from './support.js';

describe('rclone', () => {
  itWithTool('rclone', 'copies, synchronizes, lists, reads and deletes files', async () => {
    const { port } = await startHost();
    const folder = mkdtempSync(path.join(tmpdir(), 'backlot-rclone-'));
    afterThis(() => rmSync(folder, { recursive: true }));
    const local = path.join(folder, 'local');
    mkdirSync(path.join(local, 'deep/er'), { recursive: true });
    writeFileSync(path.join(local, 'a.txt'), 'first');
    writeFileSync(path.join(local, 'deep/er/b c.txt'), 'é second');
    const config = path.join(folder, 'rclone.conf');
    const { out: password } = await runTool('rclone', ['--config', '', 'obscure', 'secret']);
    writeFileSync(
      config,
      `[it]\ntype = ftp\nhost = 127.0.0.1\nport = ${port}\nuser = ann\npass = ${password}`,
    );
    const rclone = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await runTool('rclone', ['--config', config, '--retries', '1', ...args]);
      expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
      return out;
    };
    const list = async (): Promise<string[]> =>
      (await rclone('lsf', '-R', '--files-only', 'it:box')).split('\n').filter(Boolean).sort();
    await rclone('copy', local, 'it:box');
    expect(await list()).toEqual(['a.txt', 'deep/er/b c.txt']);
    expect(await rclone('cat', 'it:box/deep/er/b c.txt')).toBe('é second');
    rmSync(path.join(local, 'a.txt'));
    writeFileSync(path.join(local, 'new.txt'), 'third');
    await rclone('sync', local, 'it:box');
    expect(await list()).toEqual(['deep/er/b c.txt', 'new.txt']);
    await rclone('moveto', 'it:box/new.txt', 'it:box/old.txt');
    await rclone('copy', 'it:box', path.join(folder, 'back'));
    expect(readFileSync(path.join(folder, 'back/old.txt'), 'utf8')).toBe('third');
    await rclone('deletefile', 'it:box/old.txt');
    expect(await list()).toEqual(['deep/er/b c.txt']);
    await rclone('purge', 'it:box');
    expect(await rclone('lsf', 'it:')).toBe('');
  });
});
