import type { ServerState } from '../server-state.js';
import { ERRORS, errorLine } from '../wire/error-text.js';
import { VERSION } from '../version.js';
import { wantsNoReply } from './text-commands.js';

const SECOND = 1000;

/** An answer that is always the same for everybody: no mock could give it. */
export interface AdminAnswer {
  readonly status: string;
  readonly text: string;
  /** What comes behind the text, part by part. */
  readonly parts?: Iterator<string>;
}

/**
 * Answers a command that no mock answers (protocol.txt, "Statistics" and "Other commands"); `undefined` closes the
 * connection.
 */
export function answerAdmin(words: readonly string[], server: ServerState): AdminAnswer | undefined {
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
        ? { status: 'END', text: '', parts: dump(server) }
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

/** Items that are listed in one part. */
const PART = 256;

function* dump({ store }: ServerState): Generator<string, void> {
  let text = '';
  let count = 0;
  for (const { key, expiresAt, lastAccess, cas, isFetched, size } of store.stored()) {
    const exp = expiresAt === 0 ? -1 : Math.floor(expiresAt / SECOND);
    const la = Math.floor(lastAccess / SECOND);
    const name = encodeURIComponent(Buffer.from(key, 'latin1').toString('utf8'));
    text += `key=${name} exp=${exp} la=${la} cas=${cas} fetch=${isFetched ? 'yes' : 'no'} cls=1 size=${size}\n`;
    count += 1;
    if (count % PART > 0) continue;
    yield text;
    text = '';
  }
  yield `${text}END\r\n`;
}
