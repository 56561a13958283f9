import type { Protocol } from '@backlot/core/plugin';
import { http as declared } from './plugin.js';
import type { HttpTypes } from './types.generated.js';

export type {
  HttpAnswer,
  HttpAnyOfItem,
  HttpAuth,
  HttpChunks,
  HttpConfig,
  HttpConfigMock,
  HttpEvent,
  HttpFault,
  HttpJwt,
  HttpMock,
  HttpMount,
  HttpMockFault,
  HttpPushed,
  HttpRequest,
  HttpResource,
  HttpResponse,
  HttpSequenceItem,
  HttpStream,
  HttpTypes,
} from './types.generated.js';

/** HTTP/1.1 and HTTP/2 servers whose answers are mocks. */
export const http = declared as Protocol as Protocol<HttpTypes>;
