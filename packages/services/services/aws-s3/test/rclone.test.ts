import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['aws-s3'] });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'backlot-rclone-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('rclone', () => {
  itWithTool('rclone', 'copies, synchronizes, compares, lists, reads and deletes objects', async () => {
    const local = path.join(folder, 'local');
    mkdirSync(path.join(local, 'deep/er'), { recursive: true });
    writeFileSync(path.join(local, 'a.txt'), 'first');
    writeFileSync(path.join(local, 'deep/er/b c+é.txt'), 'é second');
    writeFileSync(path.join(local, 'large'), Buffer.alloc(11 * 1024 * 1024, 'x'));
    const config = path.join(folder, 'rclone.conf');
    writeFileSync(
      config,
      `[it]\ntype = s3\nprovider = Other\nendpoint = ${backlot.env.AWS_ENDPOINT_URL_S3}\naccess_key_id = backlot\nsecret_access_key = backlot\nupload_cutoff = 8M\nchunk_size = 5M`,
    );
    const rclone = async (...args: string[]): Promise<string> => {
      // A bundle of certificates is refused by its transport, whether the address has TLS or not.
      const env = { AWS_CA_BUNDLE: '' };
      const all = ['--config', config, '--retries', '1', ...args];
      const { code, out, err } = await runTool('rclone', all, { env });
      expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
      return out;
    };
    const list = async (): Promise<string[]> =>
      (await rclone('lsf', '-R', '--files-only', 'it:box')).split('\n').filter(Boolean).sort();
    await rclone('mkdir', 'it:box');
    await rclone('copy', local, 'it:box');
    expect(await list()).toEqual(['a.txt', 'deep/er/b c+é.txt', 'large']);
    // Read whole and compared, the one in parts too.
    await rclone('check', '--quiet', '--download', local, 'it:box');
    expect(await rclone('cat', 'it:box/deep/er/b c+é.txt')).toBe('é second');
    expect(await rclone('cat', '--offset', '1', '--count', '3', 'it:box/a.txt')).toBe('irs');
    rmSync(path.join(local, 'a.txt'));
    rmSync(path.join(local, 'large'));
    writeFileSync(path.join(local, 'new.txt'), 'third');
    await rclone('sync', local, 'it:box');
    expect(await list()).toEqual(['deep/er/b c+é.txt', 'new.txt']);
    await rclone('moveto', 'it:box/new.txt', 'it:box/old.txt');
    await rclone('copy', 'it:box', path.join(folder, 'back'));
    expect(readFileSync(path.join(folder, 'back/old.txt'), 'utf8')).toBe('third');
    await rclone('deletefile', 'it:box/old.txt');
    expect(await list()).toEqual(['deep/er/b c+é.txt']);
    await rclone('purge', 'it:box');
    expect(await rclone('lsf', 'it:')).toBe('');
  });
});
