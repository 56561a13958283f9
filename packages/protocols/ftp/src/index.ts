import type { Protocol } from '@backlot/core/plugin';
import { ftp as declared } from './plugin.js';
import type { FtpTypes } from './types.generated.js';

export type { FtpConfig, FtpFault, FtpMock, FtpTypes, FtpUser } from './types.generated.js';

/** FTP (RFC 959, 2228, 2389, 2428, 3659, 4217): a tree of files in memory. */
export const ftp = declared as Protocol as Protocol<FtpTypes>;
