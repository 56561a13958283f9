import { writeBodyStructure } from '../../mime/body-structure.js';
import { readSection } from '../../mime/section.js';
import { changeFlags } from '../../mail/flags.js';
import { formatDateTime } from '../../wire/dates.js';
import { readFetchItems, type FetchItem, type SectionItem } from '../../wire/fetch-items.js';
import { SequenceSet } from '../../wire/sequence-set.js';
import type { Command, Done } from '../command.js';
import {
  pickMessages,
  requireMailbox,
  selectedMailbox,
  type Picked,
  type SelectedMailbox,
} from '../pick-messages.js';
import type { Session } from '../session.js';

const SEEN = '\\Seen';
/** Bytes up to which a section becomes part of one text with what stands around it. */
const SMALL = 8 * 1024;

/** FETCH. */
export const fetch: Command = makeFetch(false);
/** UID FETCH. */
export const uidFetch: Command = makeFetch(true);

function makeFetch(byUid: boolean): Command {
  return {
    needs: 'mailbox',
    isCovered: true,
    prepare(session, reader) {
      reader.space();
      const set = new SequenceSet(reader.sequenceSet());
      reader.space();
      const read = readFetchItems(reader);
      reader.end();
      const items: readonly FetchItem[] = byUid && !read.includes('UID') ? ['UID', ...read] : read;
      const target = selectedMailbox(session);
      return {
        ...target,
        perform({ name }, isCurrent) {
          requireMailbox(target.mailbox);
          const picked = pickMessages(target.selected, set, byUid);
          if (isCurrent && markSeen(target, items, picked)) session.store.watchers.notify(target.path);
          const done: Done = {
            text: `OK ${name} completed`,
            sync: byUid ? 'expunge' : 'no expunge',
            withUid: byUid,
          };
          const write = (one: Picked): boolean => sendMessage(session, target, withFlags(items, one), one);
          return sendAll(session, picked, write, done);
        },
      };
    },
  };
}

/** Sends message by message, as fast as the client reads; a promise only when it has to wait for the client. */
function sendAll(
  session: Session,
  picked: readonly Picked[],
  write: (one: Picked) => boolean,
  done: Done,
): Done | Promise<Done> {
  const { connection } = session;
  let at = 0;
  const sendSome = (): boolean => {
    while (at < picked.length) {
      const one = picked[at];
      at += 1;
      if (one !== undefined && !write(one)) break;
    }
    return at >= picked.length || connection.isEnded;
  };
  if (sendSome()) return done;
  return new Promise((resolve) => {
    const { socket } = connection;
    const goOn = connection.isolate(() => {
      if (!sendSome()) return;
      socket.off('drain', goOn);
      resolve(done);
    });
    socket.on('drain', goOn);
    connection.onClose(() => resolve(done));
  });
}

/** Reading a body sets `\Seen`, unless it was only a peek or the mailbox is read-only; says whether it was set anywhere. */
function markSeen(
  { selected, mailbox }: SelectedMailbox,
  items: readonly FetchItem[],
  picked: readonly Picked[],
): boolean {
  const reads = items.some((item) => typeof item === 'object' && !item.isPeek);
  if (!reads || selected.isReadOnly || mailbox === undefined) return false;
  const before = mailbox.flagChanges;
  const isLive = selected.isLive(mailbox);
  for (const { entry } of picked) {
    const { record } = entry;
    if (record.flags.includes(SEEN) || !isLive(entry)) continue;
    const flags = changeFlags(record.flags, 'add', [SEEN]);
    if (flags === undefined) continue;
    mailbox.isTouched = true;
    mailbox.setFlags(record, flags);
  }
  return mailbox.flagChanges > before;
}

/** Flags that the command itself has changed are told along with the message. */
function withFlags(items: readonly FetchItem[], { entry }: Picked): readonly FetchItem[] {
  return entry.told === entry.record.flags || items.includes('FLAGS') ? items : [...items, 'FLAGS'];
}

/** Sends one FETCH response; `false` when the client has to read first. */
function sendMessage(
  session: Session,
  { selected }: SelectedMailbox,
  items: readonly FetchItem[],
  { number, entry }: Picked,
): boolean {
  const { record } = entry;
  const { content } = record;
  let goesOn = true;
  let text = `* ${number} FETCH (`;
  let space = '';
  for (const item of items) {
    text += space;
    space = ' ';
    switch (item) {
      case 'FLAGS':
        entry.told = record.flags;
        text += `FLAGS ${selected.flagsOf(entry)}`;
        break;
      case 'UID':
        text += `UID ${record.uid}`;
        break;
      case 'INTERNALDATE':
        text += `INTERNALDATE "${formatDateTime(record.date)}"`;
        break;
      case 'RFC822.SIZE':
        text += `RFC822.SIZE ${content.raw.length}`;
        break;
      case 'ENVELOPE':
        text += `ENVELOPE ${content.envelope}`;
        break;
      case 'BODYSTRUCTURE':
        text += `BODYSTRUCTURE ${content.structure}`;
        break;
      case 'BODY':
        text += `BODY ${writeBodyStructure(content.raw, content.root, false)}`;
        break;
      default: {
        const bytes = cut(item, () => readSection(content.raw, content.root, item.section), content.raw);
        if (bytes === undefined) text += `${item.label} NIL`;
        else if (bytes.length > SMALL) {
          session.send(`${text}${item.label} {${bytes.length}}\r\n`);
          goesOn = session.connection.write(bytes);
          text = '';
        } else {
          const small = bytes === content.raw ? content.text : bytes.toString('latin1');
          text += `${item.label} {${bytes.length}}\r\n${small}`;
        }
      }
    }
  }
  return session.send(`${text})\r\n`) && goesOn;
}

function cut(
  { section, from, count }: SectionItem,
  read: () => Buffer | undefined,
  raw: Buffer,
): Buffer | undefined {
  // The whole message needs no parsing.
  const bytes = section.path.length === 0 && section.what === 'all' ? raw : read();
  return bytes === undefined || count === undefined ? bytes : bytes.subarray(from, from + count);
}
