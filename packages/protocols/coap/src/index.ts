import type { Protocol } from '@backlot/core/plugin';
import { coap as declared } from './plugin.js';
import type { CoapTypes } from './types.generated.js';

export type {
  CoapAnswer,
  CoapConfig,
  CoapFault,
  CoapMock,
  CoapResponse,
  CoapTypes,
} from './types.generated.js';

/** CoAP over UDP. */
export const coap = declared as Protocol as Protocol<CoapTypes>;
