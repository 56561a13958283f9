import { isUtf8 } from 'node:buffer';
import {
  invalid,
  type Imported,
  type Importer,
  type ImportFile,
  type ImportNotes,
  type Json,
} from '@backlot/core/plugin';

const MAX_MAILS = 10_000;
/** A mail of more bytes is left out. */
const MAX_BYTES = 1024 * 1024;
/** Flags of a name in a maildir, behind `:2,`. */
const FLAGS: Readonly<Record<string, string>> = {
  S: '\\Seen',
  R: '\\Answered',
  F: '\\Flagged',
  T: '\\Deleted',
  D: '\\Draft',
};
const HEADER = /^(From|To|Subject|Date|Message-ID|Received|Return-Path|MIME-Version|Delivered-To):[ \t]/im;

/** A file of many mails, each behind a line that begins with `From ` (RFC 4155). */
const mbox: Importer = {
  format: 'mbox',
  title: 'mbox',
  detect: ({ text }) => (/^From \S+ .*\d{4}\r?\n/.test(text.slice(0, 1000)) ? 'sure' : undefined),
  *convert({ name, text }, notes): Generator<undefined, Imported, undefined> {
    const mails: Json[] = [];
    let lines: string[] = [];
    let line = 0;
    const end = (): void => {
      // Quoted lines are those that would look like the beginning of a mail.
      const raw = lines.join('\n').replaceAll(/^>(>*From )/gm, '$1');
      if (raw.trim() !== '') addMail(mails, { raw, flags: statusFlags(raw) }, notes, `line ${line}`);
      lines = [];
    };
    for (const [index, each] of text.split(/\r?\n/).entries()) {
      if (each.startsWith('From ') && (lines.length === 0 || lines.at(-1)?.trim() === '')) {
        end();
        line = index + 1;
        yield;
      } else {
        lines.push(each);
      }
    }
    // The empty line behind the last mail is the file's, as that between two mails is.
    if (lines.at(-1) === '' && lines.at(-2) === '') lines.pop();
    end();
    return mailbox([['INBOX', mails]], name);
  },
};

/** One mail (RFC 5322). */
const eml: Importer = {
  format: 'eml',
  title: 'Mail (.eml)',
  detect: ({ name, text, isFolder }) => {
    if (isFolder || !/^[!-9;-~]+:[ \t]?/.test(text)) return undefined;
    const head = text.slice(0, 8192).split(/\r?\n\r?\n/, 1)[0] ?? '';
    const headers = head.match(new RegExp(HEADER.source, 'gim'))?.length ?? 0;
    return headers >= 2 || (headers === 1 && /\.eml$/i.test(name)) ? 'sure' : undefined;
  },
  *convert({ name, text, bytes }, notes): Generator<undefined, Imported, undefined> {
    yield;
    const mails: Json[] = [];
    addMail(mails, { raw: isUtf8(bytes) ? text : Buffer.from(bytes).toString('latin1') }, notes, '');
    if (!isUtf8(bytes)) notes.approximated('', 'octets that are no UTF-8 are read as Latin-1');
    return mailbox([['INBOX', mails]], name);
  },
};

/** A maildir: the folder itself is the inbox, and its folders with a dot are further mailboxes. */
const maildir: Importer = {
  format: 'maildir',
  title: 'Maildir',
  detect: ({ isFolder, files }) => (isFolder && files.some(({ name }) => isMail(name)) ? 'sure' : undefined),
  *convert({ name, files }, notes): Generator<undefined, Imported, undefined> {
    const boxes = new Map<string, Json[]>();
    for (const file of files) {
      yield;
      if (!isMail(file.name)) continue;
      const { box, flags } = placeOf(file);
      let mails = boxes.get(box);
      if (mails === undefined) boxes.set(box, (mails = []));
      addMail(mails, { raw: file.text, ...(flags.length === 0 ? {} : { flags }) }, notes, file.name);
    }
    return mailbox([...boxes], name);
  },
};

function isMail(path: string): boolean {
  return /(^|\/)(cur|new)\/[^/]+$/.test(path);
}

function placeOf({ name }: ImportFile): { readonly box: string; readonly flags: readonly string[] } {
  const parts = name.split('/');
  const folder = parts.slice(0, -2).at(-1) ?? '';
  const flags = /:2,([A-Z]*)$/.exec(name)?.[1] ?? '';
  return {
    box: folder.startsWith('.')
      ? folder.slice(1).replaceAll('.', '/') || 'INBOX'
      : folder === ''
        ? 'INBOX'
        : folder,
    flags: [...flags].flatMap((flag) => FLAGS[flag] ?? []),
  };
}

/** What the headers Status and X-Status of an mbox say. */
function statusFlags(raw: string): readonly string[] {
  const head = raw.split(/\n\n/, 1)[0] ?? '';
  const status = (head.match(/^(?:X-)?Status:[ \t]*([A-Z]+)/gim) ?? []).join(' ');
  const letters: readonly (readonly [RegExp, string])[] = [
    [/:\s*[A-Z]*R/i, '\\Seen'],
    [/:\s*[A-Z]*A/i, '\\Answered'],
    [/:\s*[A-Z]*F/i, '\\Flagged'],
  ];
  return letters.filter(([letter]) => letter.test(status)).map(([, flag]) => flag);
}

function addMail(
  mails: Json[],
  mail: Json & { readonly raw: string; readonly flags?: readonly string[] },
  notes: ImportNotes,
  place: string,
): void {
  if (mail.raw.length > MAX_BYTES) {
    notes.refused(place, `a mail of more than ${MAX_BYTES} bytes is left out`);
  } else if (mails.length >= MAX_MAILS) {
    notes.refused(place, `mails beyond ${MAX_MAILS} in one mailbox are left out`);
  } else {
    const { raw, flags = [] } = mail;
    mails.push({ raw: raw.replaceAll('{{', '{{raw "{{"}}'), ...(flags.length === 0 ? {} : { flags }) });
  }
}

function mailbox(boxes: readonly (readonly [string, readonly Json[]])[], file: string): Imported {
  const filled = boxes.filter(([, messages]) => messages.length > 0);
  if (filled.length === 0) throw invalid('there is no mail in it');
  return {
    protocols: {
      imap: {
        mailboxes: filled.map(([name, messages]) => ({ id: `${file || 'mail'}-${name}`, name, messages })),
      },
    },
  };
}

/** The formats that become mails. */
export const importers: readonly Importer[] = [mbox, eml, maildir];
