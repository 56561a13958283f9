import type { Protocol } from '@backlot/core/plugin';
import { grpc as declared } from './plugin.js';
import type { GrpcTypes } from './types.generated.js';

export type {
  GrpcAnswer,
  GrpcConfig,
  GrpcError,
  GrpcFault,
  GrpcMock,
  GrpcOnMessageItem,
  GrpcService,
  GrpcStreamItem,
  GrpcTypes,
} from './types.generated.js';

/** gRPC. */
export const grpc = declared as Protocol as Protocol<GrpcTypes>;
