import { randomBytes } from 'node:crypto';
import { runInSlices, type LiveMockOf } from '@backlot/core/plugin';
import { joinSteps } from '@backlot/kit/framing';
import { fromAscii, toAscii } from '../data/ascii.js';
import { contentFields } from '../files/content-fields.js';
import { resolvePath } from '../files/path.js';
import { ReplyError } from '../reply-error.js';
import type { CommandContext } from './command-context.js';
import type { FtpExchange, FtpShape } from '../shape.js';
import { answerExchange, awaitDelay, type Answer, type FtpFault, type LastReply } from './answer-exchange.js';
import type { Command } from './command.js';
import { needArgument } from './need-argument.js';
import { checkChannel, receiveData, sendData } from './transfer-data.js';

/** RETR: a file is downloaded. Only this counts as a use of it. */
export const retr: Command = {
  syntax: 'RETR <path>',
  run: (session, argument, verb) => {
    needArgument(argument);
    const restart = session.takeRestart();
    const { tree } = session.services;
    const answer: Answer = async ({ exchange, path }) => {
      const content = await useFile(session, exchange, path);
      if ('fault' in content) return content;
      checkChannel(session);
      const bytes = session.type === 'A' ? await runInSlices(toAscii(content)) : content;
      if (restart > bytes.length) {
        throw new ReplyError(554, `cannot begin at ${restart}, the file has ${bytes.length} bytes`);
      }
      const part = bytes.subarray(restart);
      await sendData(session, part, path);
      return { code: 226, lines: ['transfer complete'], body: part };
    };
    return answerExchange(session, verb, argument, answer, (path) => tree.lookUp(path));
  },
};

/** STOR: a file is uploaded; after REST from there on. */
export const stor: Command = {
  syntax: 'STOR <path>',
  run: (session, argument, verb) => store(session, argument, verb),
};

/** APPE: what is uploaded goes to the end of the file. */
export const appe: Command = {
  syntax: 'APPE <path>',
  run: (session, argument, verb) => store(session, argument, verb),
};

/** STOU: a file is uploaded under a name that no other has (RFC 1123, section 4.1.2.9). */
export const stou: Command = {
  syntax: 'STOU [<path>]',
  run: (session, argument, verb) => {
    const { tree } = session.services;
    const wanted = argument === '' ? 'file' : argument;
    let name = wanted;
    while (argument === '' || tree.has(resolvePath(session.directory, name))) {
      name = `${wanted}.${randomBytes(4).toString('hex')}`;
      if (!tree.has(resolvePath(session.directory, name))) break;
    }
    return store(session, name, verb);
  },
};

/** What a file holds, whose use is counted; a fault where that cannot be done. @throws ReplyError 550 */
async function useFile(
  session: CommandContext,
  exchange: FtpExchange,
  path: string,
): Promise<Uint8Array | FtpFault> {
  const file = session.services.tree.readable(path);
  const match = await awaitDelay(session, exchange, exchange.used(file as LiveMockOf<FtpShape>));
  if (match.type === 'fault') return match;
  // Another replica was the last that it was there for: there may be another one in its turn.
  if (match.type === 'unmatched') return useFile(session, exchange, path);
  const { content } = match.mock.compiled;
  const { measured } = session;
  session.measured = undefined;
  // Clients stop reading at the size that they were told, so a template is not rendered once more.
  if (measured?.file === file) return measured.bytes;
  return content instanceof Uint8Array ? content : Buffer.from(match.render(content));
}

function store(session: CommandContext, argument: string, verb: string): Promise<void> {
  needArgument(argument);
  const restart = session.takeRestart();
  return answerExchange(session, verb, argument, async ({ exchange, message, path }): Promise<LastReply> => {
    const { tree } = session.services;
    const old = tree.checkWritable(path);
    const oldSize = old === undefined ? 0 : tree.bytesOf(old).length;
    if (restart > oldSize)
      throw new ReplyError(554, `cannot begin at ${restart}, the file has ${oldSize} bytes`);
    checkChannel(session);
    const received = await receiveData(session, `FILE: ${path}`);
    const bytes = session.type === 'A' ? await runInSlices(fromAscii(received)) : received;
    message.body = bytes;
    // Looked for again: while the data came, somebody else may have changed it.
    const now = tree.checkWritable(path);
    const before = now === undefined ? Buffer.alloc(0) : tree.bytesOf(now);
    const whole = await runInSlices(joinSteps(piecesOf(verb, before, bytes, restart)));
    const fields = await runInSlices(contentFields(whole));
    // What began before a reset leaves nothing behind.
    if (exchange.isCurrent) tree.write(path, whole, fields);
    const name = verb === 'STOU' ? [`FILE: ${path}`] : ['transfer complete'];
    return { code: verb === 'STOU' ? 250 : 226, lines: name };
  });
}

/** What the file holds afterwards, in pieces. */
function piecesOf(
  verb: string,
  before: Uint8Array,
  bytes: Uint8Array,
  restart: number,
): readonly Uint8Array[] {
  if (verb === 'APPE') return [before, bytes];
  if (restart === 0) return [bytes];
  return [before.subarray(0, restart), bytes, before.subarray(restart + bytes.length)];
}
