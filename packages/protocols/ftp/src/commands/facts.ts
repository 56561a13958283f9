import { runInSlices } from '@backlot/core/plugin';
import { toAscii } from '../data/ascii.js';
import type { Entry } from '../files/entry.js';
import { formatFacts, formatListLine, formatTime, parseTime } from '../files/format-entry.js';
import { ReplyError } from '../reply-error.js';
import { answerExchange } from './answer-exchange.js';
import type { Command } from './command.js';
import { collectLines, entriesAt, withoutFlags, type Lines } from './listings.js';
import { needArgument } from './need-argument.js';

/** SIZE: how many bytes RETR would send (RFC 3659, section 4). */
export const size: Command = {
  syntax: 'SIZE <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, async ({ path }) => {
      const { tree } = session.services;
      const file = tree.file(path);
      const bytes = tree.bytesOf(file, session.username);
      session.measured = { file, bytes };
      const sent = session.type === 'A' ? await runInSlices(toAscii(bytes)) : bytes;
      return { code: 213, lines: [String(sent.length)] };
    });
  },
};

/** MDTM: when a file was changed (RFC 3659, section 3). */
export const mdtm: Command = {
  syntax: 'MDTM <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    return answerExchange(session, verb, argument, ({ path }) => {
      const { tree } = session.services;
      tree.file(path);
      return { code: 213, lines: [formatTime(tree.entry(path).modified)] };
    });
  },
};

/** MFMT: says when a file was changed. */
export const mfmt: Command = {
  syntax: 'MFMT <YYYYMMDDHHMMSS> <path>',
  run: (session, argument, verb) => {
    const [, text = '', name = ''] = /^(\S+) (.+)$/.exec(argument) ?? [];
    const modified = parseTime(text);
    if (modified === undefined) throw new ReplyError(501, 'write MFMT YYYYMMDDHHMMSS and a path');
    return answerExchange(session, verb, name, ({ path }) => {
      session.services.tree.describe(path, { modified });
      return { code: 213, lines: [`Modify=${formatTime(modified)}; ${name}`] };
    });
  },
};

/** MLST: the facts of a file or a directory, over the control connection (RFC 3659, section 7). */
export const mlst: Command = {
  syntax: 'MLST [<path>]',
  run: (session, argument, verb) =>
    answerExchange(session, verb, argument, ({ path }) => {
      const entry = session.services.tree.entry(path);
      return { code: 250, lines: [`facts of ${path}`, formatFacts(entry, path, session.facts), 'end'] };
    }),
};

/** STAT: of a path what LIST shows; without one how the session stands. */
export const stat: Command = {
  syntax: 'STAT [<path>]',
  run: (session, argument, verb) => {
    const wanted = withoutFlags(session, argument);
    if (argument === '') {
      const login = session.isLoggedIn ? `logged in as ${session.username}` : 'not logged in';
      const type = session.type === 'A' ? 'ASCII' : 'binary';
      session.reply(211, 'Backlot FTP', login, `TYPE: ${type}; in ${session.directory}`, 'end of status');
      return;
    }
    return answerExchange(session, verb, wanted, async ({ path }) => {
      const now = session.services.context.clock.now();
      const { isDirectory } = session.services.tree.entry(path);
      const entries = await runInSlices(entriesAt(session, path));
      const lines = await runInSlices(collectLines(linesOf(entries, now)));
      return { code: isDirectory ? 212 : 213, lines: [`status of ${path}`, ...lines, 'end of status'] };
    });
  },
};

function* linesOf(entries: readonly Entry[], now: number): Lines {
  for (const entry of entries) yield formatListLine(entry, now);
}
