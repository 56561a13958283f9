import { defineBuild } from '@backlot/tooling/tsup';

export default {
  ...defineBuild(),
  // What runs scripts is resolved from the file that asks for it, also in the CommonJS build.
  shims: true,
};
