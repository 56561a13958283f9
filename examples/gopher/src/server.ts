import type { Context, OutcomeFor, Service } from '@backlot/core/plugin';
import { LineFramer, createService, readFrames, type Connection } from '@backlot/kit';
import { writeError, writeMenu, writeText, type MenuItem } from './answers.js';
import type { GopherShape } from './shape.js';

const MAX_SELECTOR = 4096;

/** One request a connection: a line with a selector, and for a search a tab and the words. */
export function createGopherService(context: Context<GopherShape>): Service {
  const service = createService(context, {
    stream: {
      onConnection: (connection) =>
        readFrames(
          connection,
          new LineFramer({ maxLength: MAX_SELECTOR }),
          (line) => answer(connection, line.toString('utf8')),
          () => connection.end(writeError('the selector is too long')),
        ),
    },
  });
  return service;

  async function answer(connection: Connection, line: string): Promise<void> {
    // A client asks once: what stands behind its line is never read. An orderly stop waits for the answer.
    connection.pause();
    connection.busy();
    const [path = '', search] = line.split('\t');
    const exchange = context.receive({
      method: search === undefined ? 'FETCH' : 'SEARCH',
      path,
      remote: connection.remote,
      ...(search === undefined ? {} : { query: { search } }),
    });
    connection.onClose(() => exchange.abort());
    const outcome = await exchange.resolve();
    if (outcome.type === 'aborted') return;
    const body = write(outcome, path);
    connection.end(body);
    exchange.done(body === undefined ? {} : { body });
  }

  /** @returns what is answered; `undefined` closes the connection without a word */
  function write(outcome: OutcomeFor<GopherShape>, selector: string): string | undefined {
    if (outcome.type === 'fault') {
      return outcome.fault.close === true ? undefined : writeError(outcome.fault.message ?? '');
    }
    if (outcome.type !== 'matched') return writeError(`"${selector}" is not here`);
    const { text, menu } = outcome.mock.compiled;
    if (text !== undefined) return writeText(outcome.render(text));
    const items = menu === undefined ? [] : (outcome.renderValue(menu) as readonly MenuItem[]);
    const { host, port } = service.place ?? context.config;
    return writeMenu(items, { host: context.config.public_host ?? host, port });
  }
}
