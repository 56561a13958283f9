import type { Protocol } from '@backlot/core/plugin';
import { kafka as declared } from './plugin.js';
import type { KafkaTypes } from './types.generated.js';

export type {
  KafkaAcl,
  KafkaAnswer,
  KafkaCaptured,
  KafkaConfig,
  KafkaFault,
  KafkaMock,
  KafkaRecord,
  KafkaReference,
  KafkaResponse,
  KafkaSchema,
  KafkaSchemaRegistry,
  KafkaTopic,
  KafkaTypes,
} from './types.generated.js';

/** Kafka. */
export const kafka = declared as Protocol as Protocol<KafkaTypes>;
