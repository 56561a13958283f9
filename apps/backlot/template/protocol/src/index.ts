import type { TypesOf } from '@backlot/core';
import type { __kind__ } from './plugin.js';

export { __kind__ } from './plugin.js';

/** A mock of __Kind__, as it is written. */
export type __Kind__Mock = TypesOf<typeof __kind__>['mock'];
/** A fault of __Kind__, as it is written. */
export type __Kind__Fault = TypesOf<typeof __kind__>['fault'];
/** The settings of __Kind__, as they are written. */
export type __Kind__Config = TypesOf<typeof __kind__>['config'];
