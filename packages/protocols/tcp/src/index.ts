import type { Protocol } from '@backlot/core/plugin';
import { tcp as declared } from './plugin.js';
import type { TcpTypes } from './types.generated.js';

export type { TcpAnswer, TcpConfig, TcpFault, TcpMock, TcpTypes } from './types.generated.js';

/** Raw TCP. */
export const tcp = declared as Protocol as Protocol<TcpTypes>;
