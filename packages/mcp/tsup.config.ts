import { defineBuild } from '@backlot/tooling/tsup';

// In CommonJS, where a module knows its place by another name, `import.meta.url` is replaced. The pages are copied by
// `scripts/copy-docs.mjs`.
export default { ...defineBuild(), shims: true, clean: ['!docs/**'] };
