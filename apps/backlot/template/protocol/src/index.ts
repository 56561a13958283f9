import type { TypesOf } from '@backlot/core';
import type { __kind__ } from './plugin.js';

export { __kind__ } from './plugin.js';

type Types = TypesOf<typeof __kind__>;

/** A mock of __Kind__, as it is written. */
export type __Kind__Mock = Types['mock'];
/** A fault of __Kind__, as it is written. */
export type __Kind__Fault = Types['fault'];
/** The settings of __Kind__, as they are written. */
export type __Kind__Config = Types['config'];
