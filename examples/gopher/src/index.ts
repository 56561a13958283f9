import type { TypesOf } from '@backlot/core';
import type { gopher } from './plugin.js';

export { gopher } from './plugin.js';

type Types = TypesOf<typeof gopher>;

/** A mock of Gopher, as it is written. */
export type GopherMock = Types['mock'];
/** A fault of Gopher, as it is written. */
export type GopherFault = Types['fault'];
/** The settings of Gopher, as they are written. */
export type GopherConfig = Types['config'];
