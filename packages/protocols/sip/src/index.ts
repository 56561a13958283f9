import type { Protocol } from '@backlot/core/plugin';
import { sip as declared } from './plugin.js';
import type { SipTypes } from './types.generated.js';

export type {
  SipAnswer,
  SipConfig,
  SipFault,
  SipMock,
  SipProvisionalItem,
  SipResponse,
  SipTypes,
} from './types.generated.js';

/** SIP over UDP and TCP. */
export const sip = declared as Protocol as Protocol<SipTypes>;
