import { defineBuild } from '@backlot/tooling/tsup';

export default defineBuild({ entry: ['src/index.ts', 'src/jest.ts', 'src/vitest.ts'] });
