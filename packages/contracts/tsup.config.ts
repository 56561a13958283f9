import { defineBuild } from '@backlot/tooling/tsup';

export default defineBuild();
