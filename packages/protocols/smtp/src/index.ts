import type { Protocol } from '@backlot/core/plugin';
import { smtp as declared } from './plugin.js';
import type { SmtpTypes } from './types.generated.js';

export type {
  SmtpAnswer,
  SmtpAttachment,
  SmtpCaptured,
  SmtpCapturedAttachment,
  SmtpConfig,
  SmtpFault,
  SmtpMock,
  SmtpTypes,
  SmtpUser,
} from './types.generated.js';

/** SMTP: takes mail in, keeps it, and refuses what its rules refuse. */
export const smtp = declared as Protocol as Protocol<SmtpTypes>;
