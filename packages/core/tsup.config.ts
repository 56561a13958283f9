import { defineBuild } from '@backlot/tooling/tsup';

export default defineBuild({ entry: ['src/index.ts', 'src/plugin.ts'] });
