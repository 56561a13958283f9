import { toAscii } from '../data/ascii.js';
import type { Entry } from '../files/entry.js';
import { formatFacts, formatListLine } from '../files/format-entry.js';
import { ReplyError } from '../reply-error.js';
import type { Session } from '../session/session.js';
import { answerExchange } from './answer-exchange.js';
import type { Command } from './command.js';
import { checkChannel, sendData } from './transfer-data.js';

/** LIST: a directory or a file, as `ls -l` shows it. */
export const list: Command = {
  syntax: 'LIST [<path>]',
  run: (session, argument, verb) => {
    const now = session.services.context.clock.now();
    const wanted = withoutFlags(session, argument);
    return sendListing(session, wanted, verb, (path) =>
      entriesAt(session, path).map((entry) => formatListLine(entry, now)),
    );
  },
};

/** NLST: the names in a directory. */
export const nlst: Command = {
  syntax: 'NLST [<path>]',
  run: (session, argument, verb) => {
    const wanted = withoutFlags(session, argument);
    // Names as the client can use them from where it is.
    const prefix = wanted === '' || wanted === '.' ? '' : `${wanted.replace(/\/+$/, '')}/`;
    return sendListing(session, wanted, verb, (path) => {
      const isFile = !session.services.tree.entry(path).isDirectory;
      return isFile ? [wanted] : entriesAt(session, path).map(({ name }) => prefix + name);
    });
  },
};

/** MLSD: a directory with facts (RFC 3659, section 7). */
export const mlsd: Command = {
  syntax: 'MLSD [<path>]',
  run: (session, argument, verb) =>
    sendListing(session, argument, verb, (path) => {
      const { tree } = session.services;
      const self = tree.entry(path);
      if (!self.isDirectory) throw new ReplyError(501, `${path}: is no directory; use MLST`);
      return [
        formatFacts(self, '.', session.facts, 'cdir'),
        ...tree.list(path).map((entry) => formatFacts(entry, entry.name, session.facts)),
      ];
    }),
};

/** What LIST shows of a path: what is in a directory, or the file itself. */
export function entriesAt(session: Session, path: string): readonly Entry[] {
  const { tree } = session.services;
  const entry = tree.entry(path);
  return entry.isDirectory ? tree.list(path) : [entry];
}

/** The path of a listing without the options of `ls` that clients put before it. */
export function withoutFlags(session: Session, argument: string): string {
  const flags = /^-[A-Za-z1]+(?: +|$)/.exec(argument)?.[0];
  if (flags === undefined || session.services.tree.has(`${session.directory}/${argument}`)) return argument;
  return argument.slice(flags.length);
}

function sendListing(
  session: Session,
  argument: string,
  verb: string,
  makeLines: (path: string) => readonly string[],
): Promise<void> {
  return answerExchange(session, verb, argument, async ({ path }) => {
    checkChannel(session);
    const body = makeLines(path)
      .map((line) => `${line}\r\n`)
      .join('');
    await sendData(session, toAscii(Buffer.from(body)), path);
    return { code: 226, lines: ['listing complete'], body };
  });
}
