import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npmInstall } from '@backlot/tooling/packed';
import { makeFolder } from '../command.js';

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; run this suite by "pnpm smoke"`);
  return value;
}

/** The folder of the tarballs and of the app that was installed of them. */
export const PACKED = environment('BACKLOT_PACKED');
export const REGISTRY = environment('BACKLOT_REGISTRY');

/** An empty folder outside of the repository, in which the packages are installed. */
export interface Place {
  readonly path: string;
  /** `npm install` with names, tarballs and flags. */
  install(...args: string[]): Promise<void>;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

export function makePlace(): Place {
  const { path, remove } = makeFolder();
  return {
    path,
    remove,
    install: (...args) => npmInstall(path, args, REGISTRY),
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
    },
  };
}
