import { runInSlices } from '@backlot/core/plugin';
import { decodeText, decodeUnlabelled } from '../../mime/decode.js';
import { Refusal } from '../../wire/bad-command.js';
import { readSearchKeys } from '../../wire/search-keys.js';
import type { Command } from '../command.js';
import type { Done } from '../job.js';
import { checkNumbers, requireMailbox, selectedMailbox } from '../pick-messages.js';
import { requireSequences, searchMessages } from '../search-messages.js';

const CHARSETS = ['US-ASCII', 'UTF-8', 'ISO-8859-1'];

/** SEARCH. */
export const search: Command = makeSearch(false);
/** UID SEARCH. */
export const uidSearch: Command = makeSearch(true);

function makeSearch(byUid: boolean): Command {
  return {
    needs: 'mailbox',
    isCovered: true,
    prepare(session, reader) {
      reader.space();
      let charset: string | undefined;
      if (/^charset /i.test(reader.rest)) {
        reader.atom();
        reader.space();
        charset = reader.astring('a character set').toUpperCase();
        reader.space();
      }
      const key = readSearchKeys(reader, (text) => {
        const bytes = Buffer.from(text, 'latin1');
        return charset === undefined ? decodeUnlabelled(bytes) : decodeText(bytes, charset);
      });
      const target = selectedMailbox(session);
      return {
        ...target,
        perform({ name }) {
          if (charset !== undefined && !CHARSETS.includes(charset)) {
            throw new Refusal(`[BADCHARSET (${CHARSETS.join(' ')})] that character set is not known`);
          }
          requireMailbox(target.mailbox);
          const { entries } = target.selected;
          requireSequences(key, (set) => checkNumbers(target.selected, set));
          const finish = (found: readonly { readonly number: number; readonly uid: number }[]): Done => {
            const numbers = found.map(({ number, uid }) => ` ${byUid ? uid : number}`);
            session.send(`* SEARCH${numbers.join('')}\r\n`);
            return { text: `OK ${name} completed`, sync: byUid ? 'expunge' : 'no expunge', withUid: byUid };
          };
          const found = runInSlices(searchMessages(key, entries, () => session.connection.isClosed));
          return found instanceof Promise ? found.then(finish) : finish(found);
        },
      };
    },
  };
}
