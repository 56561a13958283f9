import { GEO_SCRIPTS } from './reference-geo.js';
import { REST_SCRIPTS } from './reference-rest.js';
import { SCRIPTS } from './reference-scripts.js';
import { SEEDED_SCRIPTS } from './reference-seeded.js';
import { SEEDED_STREAM_SCRIPTS, STREAM_SCRIPTS } from './reference-streams.js';
import { VALUE_SCRIPTS } from './reference-values.js';

/** All that is said to both servers by one client: each script begins without data. */
export const CORPUS: readonly string[] = [
  ...GEO_SCRIPTS,
  ...VALUE_SCRIPTS,
  ...SCRIPTS,
  ...REST_SCRIPTS,
  ...STREAM_SCRIPTS,
  ...SEEDED_SCRIPTS,
  ...SEEDED_STREAM_SCRIPTS,
];
