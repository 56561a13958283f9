import type { Context, Service } from '@backlot/core/plugin';
import { answerFrames, createService, type Answerable, type Connection } from '@backlot/kit';
import { LineFramer } from '@backlot/kit/framing';
import { writeError, writeMenu, writeText, type MenuItem } from './answers.js';
import type { GopherShape } from './shape.js';

const MAX_SELECTOR = 4096;

/** One request a connection: a line with a selector, and for a search a tab and the words. */
export function createGopherService(context: Context<GopherShape>): Service {
  const service = createService(context, { stream: { onConnection: serve } });
  return service;

  function serve(connection: Connection): void {
    answerFrames(connection, context, new LineFramer({ maxLength: MAX_SELECTOR }), {
      message(line) {
        const [path = '', search] = line.toString('utf8').split('\t');
        const request = { path, remote: connection.remote };
        if (search === undefined) return { ...request, method: 'FETCH' };
        return { ...request, method: 'SEARCH', query: { search } };
      },
      answer(outcome, { message }) {
        const body = write(outcome, message.path);
        // A client asks once: what stands behind its line is never read.
        connection.end(body);
        return body === undefined ? {} : { body };
      },
      malformed: () => connection.end(writeError('the selector is too long')),
    });
  }

  /** @returns what is answered; `undefined` closes the connection without a word */
  function write(outcome: Answerable<GopherShape>, selector: string): string | undefined {
    if (outcome.type === 'fault')
      return outcome.fault.close === true ? undefined : writeError(outcome.fault.message ?? '');
    if (outcome.type !== 'matched') return writeError(`"${selector}" is not here`);
    const { text, menu } = outcome.mock.compiled;
    if (text !== undefined) return writeText(outcome.render(text));
    const items = menu === undefined ? [] : (outcome.renderValue(menu) as readonly MenuItem[]);
    const { host, port } = service.place ?? context.config;
    return writeMenu(items, { host: context.config.public_host ?? host, port });
  }
}
