import { invalid, type Exporter } from '@backlot/core/plugin';
import { readMails, type Mail } from './read-mails.js';

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
    yield found.raw;
  },
};

function* mboxPieces({ raw, sender, date, flags }: Mail): Generator<string | Uint8Array, void, undefined> {
  // A line of the mail that would look like the beginning of another is quoted (mboxrd); any bytes are a text of Latin-1.
  const text = raw.toString('latin1').replaceAll('\r\n', '\n');
  const quoted = text.replaceAll(/^(>*From )/gm, '>$1');
  yield `From ${sender.replaceAll(/\s+/g, '_') || 'MAILER-DAEMON'} ${dateLine(date)}\n`;
  const status = statusLines(flags);
  const end = quoted.search(/\n\n/);
  const marked =
    status === ''
      ? quoted
      : end < 0
        ? `${quoted}\n${status}`
        : `${quoted.slice(0, end + 1)}${status}${quoted.slice(end + 1)}`;
  yield Buffer.from(marked.endsWith('\n') ? `${marked}\n` : `${marked}\n\n`, 'latin1');
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
