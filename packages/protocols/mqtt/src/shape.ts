import type { CompiledMqtt } from './matcher.js';
import type { MqttMessage } from './message.js';
import type { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface MqttShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledMqtt;
  readonly message: MqttMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
}
