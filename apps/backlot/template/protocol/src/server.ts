import type { Context, Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { Conversation } from './conversation.js';
import type { __Kind__Shape } from './shape.js';

/** Takes connections and answers what is sent on them. */
export function create__Kind__Service(context: Context<__Kind__Shape>): Service {
  return createService(context, {
    stream: {
      onConnection: (connection) => {
        new Conversation(connection, context);
      },
    },
  });
}
