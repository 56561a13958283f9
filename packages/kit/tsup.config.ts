import { defineBuild } from '@backlot/tooling/tsup';

export default defineBuild({
  entry: [
    'src/index.ts',
    'src/framing.ts',
    'src/http.ts',
    'src/http-upstream.ts',
    'src/upstream.ts',
    'src/wildcards.ts',
  ],
});
