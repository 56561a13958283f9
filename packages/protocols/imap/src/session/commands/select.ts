import { SYSTEM_FLAGS } from '../../mail/flags.js';
import type { Mailbox } from '../../mail/mailbox.js';
import { Refusal } from '../../wire/bad-command.js';
import { readName } from '../names.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../command-context.js';

/** SELECT. */
export const select: Command = makeSelect(false);
/** EXAMINE: the same, read-only. */
export const examine: Command = makeSelect(true);

function makeSelect(isReadOnly: boolean): Command {
  return {
    needs: 'login',
    isCovered: true,
    prepare(session, reader) {
      reader.space();
      const name = readName(reader.astring('a mailbox'));
      reader.end();
      const mailbox = session.store.find(name);
      return {
        path: name,
        uses: name,
        mailbox,
        perform() {
          // Also a failed SELECT ends the one before it (RFC 3501, section 6.3.1).
          session.unselect();
          if (mailbox === undefined) throw new Refusal('[NONEXISTENT] there is no such mailbox');
          session.send(describe(session, mailbox, isReadOnly));
          const mode = isReadOnly ? 'READ-ONLY' : 'READ-WRITE';
          return { text: `OK [${mode}] ${isReadOnly ? 'EXAMINE' : 'SELECT'} completed`, sync: 'nothing' };
        },
      };
    },
  };
}

function describe(session: CommandContext, mailbox: Mailbox, isReadOnly: boolean): string {
  const selected = session.select(mailbox, isReadOnly);
  const { entries } = selected;
  const flags = [...SYSTEM_FLAGS];
  const known = new Set<string>(flags);
  const listed = new Set(flags.map((flag) => flag.toLowerCase()));
  for (const { record } of entries) {
    for (const flag of record.flags) {
      if (known.has(flag)) continue;
      known.add(flag);
      const lower = flag.toLowerCase();
      if (!listed.has(lower)) flags.push(flag);
      listed.add(lower);
    }
  }
  const unseen = entries.findIndex(({ record }) => !record.flags.includes('\\Seen'));
  const permanent = isReadOnly ? '' : [...flags, '\\*'].join(' ');
  return (
    `* ${entries.length} EXISTS\r\n* ${selected.recent} RECENT\r\n* FLAGS (${flags.join(' ')})\r\n` +
    `* OK [PERMANENTFLAGS (${permanent})] these can be changed\r\n` +
    (unseen < 0 ? '' : `* OK [UNSEEN ${unseen + 1}] the first that is unseen\r\n`) +
    `* OK [UIDVALIDITY ${mailbox.validity}] UIDs are valid\r\n* OK [UIDNEXT ${mailbox.nextUid}] the next UID\r\n`
  );
}
