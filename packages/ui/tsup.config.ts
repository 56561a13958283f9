import { defineBuild } from '@backlot/tooling/tsup';

/** In CommonJS, where a module knows its place by another name, `import.meta.url` is replaced. */
export default { ...defineBuild(), shims: true };
