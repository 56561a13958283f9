import { runInSlices } from '@backlot/core/plugin';
import type { MailRecord } from '../mail/mailbox.js';
import { BadCommand } from '../wire/bad-command.js';
import type { PopAnswer, PopCommand, PopContext } from './context.js';
import type { Maildrop } from './maildrop.js';
import { messageLines, topOf } from './message-lines.js';

const TOP = /^(\S+) (\d{1,10})$/;

/** STAT. */
export const stat: PopCommand = {
  needs: 'login',
  isCovered: true,
  perform: (session, argument) => {
    none('STAT', argument);
    return runInSlices(countAll(maildropOf(session)));
  },
};

/** LIST: the sizes of all messages, or of one. */
export const list: PopCommand = {
  needs: 'login',
  isCovered: true,
  perform: (session, argument) =>
    runInSlices(
      describe(maildropOf(session), argument, function* (record) {
        return String((yield* rawOf(record)).length);
      }),
    ),
};

/** UIDL: the unique ids of all messages, or of one. */
export const uidl: PopCommand = {
  needs: 'login',
  isCovered: true,
  perform: (session, argument) => {
    const maildrop = maildropOf(session);
    return runInSlices(
      describe(maildrop, argument, function* (record) {
        yield;
        return maildrop.idOf(record);
      }),
    );
  },
};

/** RETR. */
export const retr: PopCommand = {
  needs: 'login',
  isCovered: true,
  perform(session, argument, { exchange }) {
    const maildrop = maildropOf(session);
    const record = maildrop.pick(argument);
    if (exchange.isCurrent) maildrop.markSeen(record);
    return runInSlices(retrieve(record));
  },
};

/** TOP: the header, and some lines of the body. */
export const top: PopCommand = {
  needs: 'login',
  isCovered: true,
  perform(session, argument) {
    const [, number = '', lines = ''] = TOP.exec(argument) ?? [];
    if (number === '')
      throw new BadCommand(`got "TOP ${argument}", want TOP, a message and a number of lines`);
    return runInSlices(retrieve(maildropOf(session).pick(number), Number(lines)));
  },
};

/** DELE. */
export const dele: PopCommand = {
  needs: 'login',
  isCovered: true,
  perform(session, argument) {
    const maildrop = maildropOf(session);
    maildrop.delete(maildrop.pick(argument));
    return { text: `message ${argument} is marked as deleted` };
  },
};

/** RSET. */
export const rset: PopCommand = {
  needs: 'login',
  perform(session, argument) {
    none('RSET', argument);
    maildropOf(session).undelete();
    return { text: 'no message is marked as deleted' };
  },
};

/** Refuses an argument where none belongs. @throws BadCommand */
export function none(name: string, argument: string): void {
  if (argument !== '') throw new BadCommand(`${name} takes no argument, got "${argument.slice(0, 40)}"`);
}

function maildropOf({ maildrop }: PopContext): Maildrop {
  if (maildrop === undefined) throw new Error('a command on messages was let through before the login');
  return maildrop;
}

function* rawOf({ content }: MailRecord): Generator<undefined, Buffer> {
  if (content.isLong) yield* content.load();
  return content.raw;
}

function* countAll(maildrop: Maildrop): Generator<undefined, PopAnswer> {
  let count = 0;
  let size = 0;
  for (const { record } of maildrop.messages()) {
    count += 1;
    size += (yield* rawOf(record)).length;
    yield;
  }
  return { text: `${count} ${size}` };
}

function* describe(
  maildrop: Maildrop,
  argument: string,
  factOf: (record: MailRecord) => Generator<undefined, string>,
): Generator<undefined, PopAnswer> {
  if (argument !== '') return { text: `${argument} ${yield* factOf(maildrop.pick(argument))}` };
  let lines = '';
  let count = 0;
  for (const { number, record } of maildrop.messages()) {
    count += 1;
    lines += `${number} ${yield* factOf(record)}\r\n`;
    yield;
  }
  return { text: `${count} messages`, lines: `${lines}.\r\n` };
}

/** @param most - how many lines of the body; all when absent */
function* retrieve(record: MailRecord, most?: number): Generator<undefined, PopAnswer> {
  const raw = yield* rawOf(record);
  const lines = yield* messageLines(most === undefined ? raw : yield* topOf(raw, most));
  return { text: `${raw.length} octets`, lines };
}
