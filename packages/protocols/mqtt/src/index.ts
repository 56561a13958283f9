import type { Protocol } from '@backlot/core/plugin';
import { mqtt as declared } from './plugin.js';
import type { MqttTypes } from './types.generated.js';

export type {
  MqttAnswer,
  MqttCaptured,
  MqttConfig,
  MqttFault,
  MqttLimits,
  MqttMock,
  MqttResponse,
  MqttTypes,
  MqttUser,
} from './types.generated.js';

/** MQTT 3.1, 3.1.1 and 5. */
export const mqtt = declared as Protocol as Protocol<MqttTypes>;
