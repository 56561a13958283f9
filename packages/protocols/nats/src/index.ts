import type { Protocol } from '@backlot/core/plugin';
import { nats as declared } from './plugin.js';
import type { NatsTypes } from './types.generated.js';

export type {
  NatsAnswer,
  NatsBucket,
  NatsCaptured,
  NatsConfig,
  NatsFault,
  NatsJetstream,
  NatsMirror,
  NatsMock,
  NatsResponse,
  NatsStream,
  NatsTypes,
  NatsUser,
} from './types.generated.js';

/** NATS with JetStream. */
export const nats = declared as Protocol as Protocol<NatsTypes>;
