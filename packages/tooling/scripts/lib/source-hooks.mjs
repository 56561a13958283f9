import { readFile } from 'node:fs/promises';
import { transform } from '@swc/core';

/** The condition of `exports` that stands for the sources of a package. */
const CONDITION = 'backlot-source';

/** Who gives the packages of the workspace their peers. */
let app = '';

/** @type {import('node:module').InitializeHook<{ app: string }>} */
export function initialize(data) {
  app = data.app;
}

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  const isOwn = specifier.startsWith('@backlot/');
  const isSource = context.parentURL?.endsWith('.ts') === true && /^\.\.?\/.*\.js$/.test(specifier);
  return nextResolve(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, {
    ...context,
    ...(isOwn ? { parentURL: app } : {}),
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
