import { readFile } from 'node:fs/promises';
import { transform } from '@swc/core';

/** The condition of `exports` that stands for the sources of a package. */
const CONDITION = 'backlot-source';

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  const isSource = context.parentURL?.endsWith('.ts') === true && /^\.\.?\/.*\.js$/.test(specifier);
  return nextResolve(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, {
    ...context,
    conditions: [CONDITION, ...context.conditions],
  });
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { code } = await transform(await readFile(new URL(url), 'utf8'), {
    filename: url,
    sourceMaps: 'inline',
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
    swcrc: false,
    configFile: false,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
