import { defineBuild } from '@backlot/tooling/tsup';

export default {
  ...defineBuild({
    entry: [
      'src/index.ts',
      'src/framing.ts',
      'src/http.ts',
      'src/http-upstream.ts',
      'src/upstream.ts',
      'src/wildcards.ts',
    ],
  }),
  // The library that makes certificates is resolved from the file that asks for its parts, also in the CommonJS build.
  shims: true,
};
