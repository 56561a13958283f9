import type { Protocol } from '@backlot/core/plugin';
import { websocket as declared } from './plugin.js';
import type { WebsocketTypes } from './types.generated.js';

export type {
  WebsocketAnswer,
  WebsocketClose,
  WebsocketConfig,
  WebsocketFault,
  WebsocketMock,
  WebsocketOnClose,
  WebsocketOnConnect,
  WebsocketOnMessageItem,
  WebsocketPushed,
  WebsocketSendItem,
  WebsocketTypes,
} from './types.generated.js';

/** WebSocket servers whose messages are mocks. */
export const websocket = declared as Protocol as Protocol<WebsocketTypes>;
