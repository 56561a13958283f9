import type { Protocol } from '@backlot/core/plugin';
import { graphql as declared } from './plugin.js';
import type { GraphqlTypes } from './types.generated.js';

export type {
  GraphqlAnswer,
  GraphqlConfig,
  GraphqlError,
  GraphqlFault,
  GraphqlLocation,
  GraphqlMock,
  GraphqlStreamItem,
  GraphqlTypes,
} from './types.generated.js';

/** GraphQL over HTTP, and over WebSocket with the subprotocol graphql-transport-ws. */
export const graphql = declared as Protocol as Protocol<GraphqlTypes>;
