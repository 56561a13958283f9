import type { Options } from 'tsup';

export function defineBuild(options?: { entry?: string[]; format?: ('esm' | 'cjs')[] }): Options;
