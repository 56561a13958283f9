import type { MailContent } from '../mail/content.js';
import { writeBodyStructure } from '../mime/body-structure.js';
import { readSection } from '../mime/section.js';
import { formatDateTime } from '../wire/dates.js';
import type { FetchItem, SectionItem } from '../wire/fetch-items.js';
import type { Picked } from './pick-messages.js';
import type { Selected } from './selected.js';
import type { CommandContext } from './command-context.js';

/** Bytes up to which a section becomes part of one text with what stands around it. */
const SMALL = 8 * 1024;

/**
 * Sends one FETCH response; gives `false` when the client has to read first. Yields now and then, see `runInSlices`:
 * a long message takes a while to be read.
 */
export function* writeMessage(
  session: CommandContext,
  selected: Selected,
  items: readonly FetchItem[],
  { number, entry }: Picked,
): Generator<undefined, boolean> {
  const { record } = entry;
  const { content } = record;
  if (content.isLong) yield* content.load();
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
        text += `ENVELOPE ${yield* content.envelope()}`;
        break;
      case 'BODYSTRUCTURE':
        text += `BODYSTRUCTURE ${yield* content.structure()}`;
        break;
      case 'BODY':
        text += `BODY ${yield* writeBodyStructure(content.raw, yield* content.parse(), false)}`;
        break;
      default: {
        const bytes = yield* readItem(content, item);
        if (bytes === undefined) text += `${item.label} NIL`;
        else if (bytes.length > SMALL) {
          session.send(`${text}${item.label} {${bytes.length}}\r\n`);
          goesOn = session.connection.write(bytes);
          text = '';
        } else {
          const small = bytes === content.raw ? content.text : bytes.toString('latin1');
          text += `${item.label} {${bytes.length}}\r\n${small}`;
        }
        yield;
      }
    }
  }
  return session.send(`${text})\r\n`) && goesOn;
}

function* readItem(
  content: MailContent,
  { section, from, count }: SectionItem,
): Generator<undefined, Buffer | undefined> {
  // The whole message needs no parsing.
  const isWhole = section.path.length === 0 && section.what === 'all';
  const bytes = isWhole ? content.raw : readSection(content.raw, yield* content.parse(), section);
  return bytes === undefined || count === undefined ? bytes : bytes.subarray(from, from + count);
}
