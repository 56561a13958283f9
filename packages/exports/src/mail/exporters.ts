import { invalid, type Exporter } from '@backlot/core/plugin';
import { readMails, type Mail } from './read-mails.js';

/** So many bytes are written at once. */
const STEP = 64 * 1024;
const CR = 13;
const LF = 10;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** What an mbox says of a mail in headers of its own. */
const STATUS: readonly (readonly [flag: string, letter: string])[] = [
  ['\\Answered', 'A'],
  ['\\Flagged', 'F'],
  ['\\Deleted', 'D'],
  ['\\Draft', 'T'],
];

/** Mails in one file, each behind a line that begins with `From ` (RFC 4155). */
export const mbox: Exporter = {
  format: 'mbox',
  title: 'mbox of captured and stored mails',
  contentType: 'application/mbox',
  extension: '.mbox',
  *write(source, notes) {
    let hasBegun = false;
    for (const mail of readMails(source, notes)) {
      if (mail !== undefined) {
        hasBegun = true;
        notes.written('mails');
        yield* mboxPieces(mail);
      }
      yield undefined;
    }
    if (!hasBegun) throw invalid('there is no mail: neither SMTP nor IMAP has one');
  },
};

/** One mail as it came (RFC 5322). */
export const eml: Exporter = {
  format: 'eml',
  title: 'Mail (.eml)',
  contentType: 'message/rfc822',
  extension: '.eml',
  *write(source, notes, { id }) {
    const ids: string[] = [];
    let found: Mail | undefined;
    for (const mail of readMails(source, notes)) {
      if (mail !== undefined) {
        if (id === undefined) ids.push(mail.id);
        if (id === undefined ? ids.length === 1 : mail.id === id) found = mail;
      }
      yield undefined;
    }
    if (ids.length > 1)
      throw invalid(
        `there are ${ids.length} mails, and a file has one: name it by its id, such as ${JSON.stringify(ids[0])}, or ask for mbox`,
      );
    if (found === undefined)
      throw invalid(
        id === undefined
          ? 'there is no mail: neither SMTP nor IMAP has one'
          : `there is no mail ${JSON.stringify(id.slice(0, 100))}`,
      );
    notes.written('mails');
    for (let at = 0; at < found.raw.length; at += STEP) yield found.raw.subarray(at, at + STEP);
  },
};

function* mboxPieces({ raw, sender, date, flags }: Mail): Generator<string | Uint8Array, void, undefined> {
  yield `From ${sender.replaceAll(/\s+/g, '_') || 'MAILER-DAEMON'} ${dateLine(date)}\n`;
  const status = statusLines(flags);
  if (status !== '') {
    // Only short mails have flags: those of mailboxes.
    const quoted = quote(raw, 0, raw.length);
    const end = quoted.search(/\n\n/);
    const marked =
      end < 0 ? `${quoted}\n${status}` : `${quoted.slice(0, end + 1)}${status}${quoted.slice(end + 1)}`;
    yield Buffer.from(marked.endsWith('\n') ? `${marked}\n` : `${marked}\n\n`, 'latin1');
    return;
  }
  for (let at = 0; at < raw.length;) {
    const end = endOfPiece(raw, at);
    yield Buffer.from(quote(raw, at, end), 'latin1');
    at = end;
  }
  yield raw.at(-1) === LF ? '\n' : '\n\n';
}

/** Behind the last line that fits into a piece; where there is none, behind a part of a line, but not within a line end. */
function endOfPiece(raw: Buffer, start: number): number {
  const most = start + STEP;
  if (most >= raw.length) return raw.length;
  const line = raw.lastIndexOf(LF, most - 1);
  if (line >= start) return line + 1;
  return raw[most - 1] === CR ? most + 1 : most;
}

/** A line of the mail that would look like the beginning of another is quoted (mboxrd); any bytes are a text of Latin-1. */
function quote(raw: Buffer, start: number, end: number): string {
  // Splitting and joining makes one flat text in a fraction of the time that replacing takes.
  const text = raw.toString('latin1', start, end).split('\r\n').join('\n');
  if (start === 0 || raw[start - 1] === LF) return text.replaceAll(/^(>*From )/gm, '>$1');
  // The rest of a line is no beginning of one.
  return `-${text}`.replaceAll(/^(>*From )/gm, '>$1').slice(1);
}

function statusLines(flags: readonly string[]): string {
  const letters = STATUS.filter(([flag]) => flags.includes(flag))
    .map(([, letter]) => letter)
    .join('');
  return `${flags.includes('\\Seen') ? 'Status: RO\n' : ''}${letters === '' ? '' : `X-Status: ${letters}\n`}`;
}

/** A time as `asctime` of C writes it, by UTC. */
function dateLine(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2, ' ');
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${day} ${time} ${date.getUTCFullYear()}`;
}
