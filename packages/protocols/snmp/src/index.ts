import type { Protocol } from '@backlot/core/plugin';
import { snmp as declared } from './plugin.js';
import type { SnmpTypes } from './types.generated.js';

export type {
  SnmpAnswer,
  SnmpBinding,
  SnmpConfig,
  SnmpFault,
  SnmpMock,
  SnmpTrap,
  SnmpTypes,
  SnmpV3User,
} from './types.generated.js';

/** SNMP: an agent for v1, v2c and v3, and traps. */
export const snmp = declared as Protocol as Protocol<SnmpTypes>;
