import type { Protocol } from '@backlot/core/plugin';
import { nats as declared } from './plugin.js';
import type { NatsTypes } from './types.generated.js';

export type {
  NatsCaptured,
  NatsConfig,
  NatsFault,
  NatsMock,
  NatsResponse,
  NatsTypes,
  NatsUser,
} from './types.generated.js';

/** Core NATS. */
export const nats = declared as Protocol as Protocol<NatsTypes>;
