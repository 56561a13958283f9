import { defineBuild } from '@backlot/tooling/tsup';

export default {
  ...defineBuild({ entry: ['src/index.ts', 'src/main.ts', 'src/worker.ts'], format: ['esm'] }),
  // Its seventy modules, read one by one, would be a tenth of the start of a service.
  noExternal: ['yaml'],
  // It is CommonJS, and asks for modules of Node.js by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
};
