import type { TypesOf } from '@backlot/core';
import type { gopher } from './plugin.js';

export { gopher } from './plugin.js';

/** A mock of Gopher, as it is written. */
export type GopherMock = TypesOf<typeof gopher>['mock'];
/** A fault of Gopher, as it is written. */
export type GopherFault = TypesOf<typeof gopher>['fault'];
/** The settings of Gopher, as they are written. */
export type GopherConfig = TypesOf<typeof gopher>['config'];
