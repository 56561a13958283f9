import { defineBuild } from '@backlot/tooling/tsup';

// The handler; in CommonJS, where a module knows its place by another name, `import.meta.url` is replaced. What browsers get is built by
// `scripts/build-page.mjs`.
export default { ...defineBuild(), shims: true, clean: ['!page/**'] };
