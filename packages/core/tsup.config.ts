import { defineBuild } from '@backlot/tooling/tsup';

export default {
  ...defineBuild({ entry: ['src/index.ts', 'src/plugin.ts'] }),
  // Libraries that are loaded on first use are resolved from the file that asks for them, also in the CommonJS build.
  shims: true,
  // Their hundreds of modules, read one by one, would take more than half of the time that core needs to load.
  noExternal: ['@sinclair/typebox', 'ajv', 'ajv-formats'],
};
