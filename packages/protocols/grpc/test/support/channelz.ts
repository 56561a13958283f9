import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const resolvePackage = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** The service of channelz, whose file comes with grpc-js. */
export const CHANNELZ_FILE = join(resolvePackage('@grpc/grpc-js'), 'proto/channelz.proto');

/** Its text. */
export const CHANNELZ = readFileSync(CHANNELZ_FILE, 'utf8');

/** An image of it, as `buf build` writes it; `json` in the JSON form. */
export function channelzImage(form: 'binpb' | 'json'): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-grpc-'));
  try {
    copyFileSync(CHANNELZ_FILE, join(folder, 'channelz.proto'));
    const image = join(folder, `image.${form}`);
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(resolvePackage('@bufbuild/buf'), 'bin/buf'), 'build', folder, '-o', image],
      { env: { ...process.env, HOME: folder }, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`buf build: ${stderr}`);
    return readFileSync(image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
