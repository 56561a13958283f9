import type { Protocol } from '@backlot/core/plugin';
import { dns as declared } from './plugin.js';
import type { DnsTypes } from './types.generated.js';

export type { DnsAnswer, DnsConfig, DnsFault, DnsMock, DnsTypes, DnsZone } from './types.generated.js';

/** DNS over UDP and TCP. */
export const dns = declared as Protocol as Protocol<DnsTypes>;
