import type { Protocol } from '@backlot/core/plugin';
import { stomp as declared } from './plugin.js';
import type { StompTypes } from './types.generated.js';

export type {
  StompAnswer,
  StompCaptured,
  StompConfig,
  StompFault,
  StompMessage,
  StompMock,
  StompMockFault,
  StompResponse,
  StompTypes,
  StompUser,
} from './types.generated.js';

/** STOMP 1.0 to 1.2, over TCP and WebSocket. */
export const stomp = declared as Protocol as Protocol<StompTypes>;
