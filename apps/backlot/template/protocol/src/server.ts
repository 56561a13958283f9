import type { Context, Service } from '@backlot/core/plugin';
import { answerFrames, createService, type Answerable, type Connection } from '@backlot/kit';
import { LineFramer } from '@backlot/kit/framing';
import type { __Kind__Shape } from './shape.js';

/** Takes connections, and answers the lines of each in order. */
export function create__Kind__Service(context: Context<__Kind__Shape>): Service {
  return createService(context, { stream: { onConnection: serve } });

  function serve(connection: Connection): void {
    answerFrames(connection, context, new LineFramer(), {
      message(line) {
        const body = line.toString('utf8');
        return { method: 'LINE', path: body, remote: connection.remote, body };
      },
      answer(outcome) {
        const body = write(outcome);
        if (body === undefined) connection.end();
        else connection.write(`${body}\n`);
        return body === undefined ? {} : { body };
      },
    });
  }

  /** @returns the line that is sent; `undefined` closes the connection */
  function write(outcome: Answerable<__Kind__Shape>): string | undefined {
    if (outcome.type === 'matched') return outcome.render(outcome.mock.compiled.response);
    if (outcome.type === 'fault')
      return outcome.fault.close === true ? undefined : (outcome.fault.response ?? '');
    return context.config.unmatched ?? '';
  }
}
