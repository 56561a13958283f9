import type { Hub } from '../hub.js';
import { ERRORS, errorLine } from '../wire/error-text.js';
import { VERSION } from '../version.js';
import { wantsNoReply } from './text-commands.js';

const SECOND = 1000;

/** An answer that is always the same for everybody: no mock could give it. */
export interface AdminAnswer {
  readonly status: string;
  /** A long one in pieces. */
  readonly text: string | Iterator<string, void>;
}

/** Answers a command that no mock answers; `undefined` closes the connection. */
export function answerAdmin(words: readonly string[], hub: Hub): AdminAnswer | undefined {
  switch (words[0]) {
    case 'mn':
      return word('MN');
    case 'version':
      return { status: 'VERSION', text: `VERSION ${VERSION}\r\n` };
    case 'verbosity':
      return answerVerbosity(words);
    case 'quit':
      return undefined;
    case 'shutdown':
      return word('ERROR: shutdown not enabled');
    case 'lru_crawler':
      return words.join(' ') === 'lru_crawler metadump all'
        ? { status: 'END', text: dump(hub) }
        : word('ERROR');
    default:
      return words[words.length - 1]?.startsWith('HTTP/') === true ? undefined : word('ERROR');
  }
}

function answerVerbosity(words: readonly string[]): AdminAnswer {
  const { length } = words;
  if (length < 2 || length > 4) return word('ERROR');
  if (wantsNoReply(words)) return { status: 'OK', text: '' };
  return /^\d+$/.test(words[1] ?? '') ? word('OK') : word(errorLine(ERRORS.badLine));
}

function word(status: string): AdminAnswer {
  return { status, text: `${status}\r\n` };
}

/** Line by line: there may be a million. */
function* dump({ store }: Hub): Generator<string, void> {
  for (const { key, expiresAt, lastAccess, cas, isFetched, size } of store.everything()) {
    const exp = expiresAt === 0 ? -1 : Math.floor(expiresAt / SECOND);
    const la = Math.floor(lastAccess / SECOND);
    const name = encodeURIComponent(Buffer.from(key, 'latin1').toString('utf8'));
    yield `key=${name} exp=${exp} la=${la} cas=${cas} fetch=${isFetched ? 'yes' : 'no'} cls=1 size=${size}\n`;
  }
  yield 'END\r\n';
}
