import { runInSlices } from '@backlot/core/plugin';
import { toAscii } from '../data/ascii.js';
import type { Entry } from '../files/entry.js';
import { formatFacts, formatListLine } from '../files/format-entry.js';
import { ReplyError } from '../reply-error.js';
import type { CommandContext } from './command-context.js';
import { answerExchange } from './answer-exchange.js';
import type { Command } from './command.js';
import { checkChannel, sendData } from './transfer-data.js';

/** LIST: a directory or a file, as `ls -l` shows it. */
export const list: Command = {
  syntax: 'LIST [<path>]',
  run: (session, argument, verb) => {
    const now = session.services.context.clock.now();
    const wanted = withoutFlags(session, argument);
    return sendListing(session, wanted, verb, function* (path) {
      for (const entry of yield* entriesAt(session, path)) yield formatListLine(entry, now);
    });
  },
};

/** NLST: the names in a directory. */
export const nlst: Command = {
  syntax: 'NLST [<path>]',
  run: (session, argument, verb) => {
    const wanted = withoutFlags(session, argument);
    // Names as the client can use them from where it is.
    const prefix = wanted === '' || wanted === '.' ? '' : `${wanted.replace(/\/+$/, '')}/`;
    return sendListing(session, wanted, verb, function* (path) {
      const isFile = !session.services.tree.entry(path).isDirectory;
      if (isFile) yield wanted;
      else for (const { name } of yield* entriesAt(session, path)) yield prefix + name;
    });
  },
};

/** MLSD: a directory with facts (RFC 3659, section 7). */
export const mlsd: Command = {
  syntax: 'MLSD [<path>]',
  run: (session, argument, verb) =>
    sendListing(session, argument, verb, function* (path) {
      const { tree } = session.services;
      const self = tree.entry(path);
      if (!self.isDirectory) throw new ReplyError(501, `${path}: is no directory; use MLST`);
      yield formatFacts(self, '.', session.facts, 'cdir');
      for (const entry of yield* tree.list(path)) yield formatFacts(entry, entry.name, session.facts);
    }),
};

/** Lines that are put together at one time. */
const JOINED = 1000;

/** Lines; `undefined` where others may be let in. */
export type Lines = Generator<string | undefined, void>;

/** What LIST shows of a path: what is in a directory, or the file itself. Yields now and then, see `runInSlices`. */
export function* entriesAt(session: CommandContext, path: string): Generator<undefined, readonly Entry[]> {
  const { tree } = session.services;
  const entry = tree.entry(path);
  return entry.isDirectory ? yield* tree.list(path) : [entry];
}

/** Puts lines together. Yields as they do. */
export function* collectLines(lines: Lines): Generator<undefined, string[]> {
  const all: string[] = [];
  for (const line of lines) {
    if (line !== undefined) all.push(line);
    yield;
  }
  return all;
}

/** Puts lines together as one text. Yields now and then, see `runInSlices`. */
function* joinLines(lines: readonly string[]): Generator<undefined, string> {
  let text = '';
  for (let start = 0; start < lines.length; start += JOINED) {
    text += `${lines.slice(start, start + JOINED).join('\r\n')}\r\n`;
    yield;
  }
  return text;
}

/** The path of a listing without the options of `ls` that clients put before it. */
export function withoutFlags(session: CommandContext, argument: string): string {
  const flags = /^-[A-Za-z1]+(?: +|$)/.exec(argument)?.[0];
  if (flags === undefined || session.services.tree.has(`${session.directory}/${argument}`)) return argument;
  return argument.slice(flags.length);
}

function sendListing(
  session: CommandContext,
  argument: string,
  verb: string,
  makeLines: (path: string) => Lines,
): Promise<void> {
  return answerExchange(session, verb, argument, async ({ path }) => {
    checkChannel(session);
    const lines = await runInSlices(collectLines(makeLines(path)));
    const body = await runInSlices(joinLines(lines));
    const bytes = await runInSlices(toAscii(Buffer.from(body)));
    await sendData(session, bytes, path);
    return { code: 226, lines: ['listing complete'], body };
  });
}
