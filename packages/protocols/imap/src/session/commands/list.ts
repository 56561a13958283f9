import { runInSlices } from '@backlot/core/plugin';
import { DELIMITER, canonicalName, parentsOf } from '../../mail/mailbox-name.js';
import { compileNamePattern } from '../../mail/name-pattern.js';
import { decodeName } from '../../wire/modified-utf7.js';
import type { Command } from '../command.js';
import type { Done } from '../job.js';
import type { CommandContext } from '../command-context.js';
import { writeName } from '../names.js';

/** LIST. */
export const list: Command = makeList('LIST');
/** LSUB: only what the client has subscribed to; the mailboxes of mocks are subscribed from the start. */
export const lsub: Command = makeList('LSUB');

function makeList(command: 'LIST' | 'LSUB'): Command {
  return {
    needs: 'login',
    isCovered: true,
    prepare(session, reader) {
      reader.space();
      const reference = decodeName(reader.astring('a reference'));
      reader.space();
      const pattern = decodeName(reader.listMailbox());
      reader.end();
      return {
        path: reference + pattern,
        isProbe: pattern === '',
        perform() {
          const finish = (lines: string): Done => {
            session.send(lines);
            return { text: `OK ${command} completed` };
          };
          const lines = runInSlices(answer(session, command, reference, pattern));
          return lines instanceof Promise ? lines.then(finish) : finish(lines);
        },
      };
    },
  };
}

/** Yields now and then: patterns may be hard, and mailboxes many. */
function* answer(
  session: CommandContext,
  command: 'LIST' | 'LSUB',
  reference: string,
  pattern: string,
): Generator<undefined, string> {
  // An empty pattern asks for the delimiter (RFC 3501, section 6.3.8).
  if (pattern === '' && command === 'LIST') return `* LIST (\\Noselect) "${DELIMITER}" ""\r\n`;
  const fits = compileNamePattern(canonicalPattern(reference + pattern));
  if (fits === undefined) return '';
  const { store } = session;
  const all = store.names();
  const names = command === 'LIST' ? all : all.filter((name) => store.isSubscribed(name));
  const existing = new Set(names);
  const withChildren = new Set<string>();
  // What stands above a mailbox is shown too, though nobody can select it.
  const shown = new Set<string>();
  for (const name of all) {
    for (const parent of parentsOf(name)) {
      withChildren.add(parent);
      if (existing.has(name)) shown.add(parent);
    }
    if (existing.has(name)) shown.add(name);
    yield;
  }
  let lines = '';
  for (const name of shown) {
    yield;
    if (!fits(name)) continue;
    const children = withChildren.has(name) ? '\\HasChildren' : '\\HasNoChildren';
    const attributes = existing.has(name) ? `(${children})` : `(\\Noselect ${children})`;
    lines += `* ${command} ${attributes} "${DELIMITER}" ${writeName(name)}\r\n`;
  }
  return lines;
}

/** INBOX is INBOX in any case, in a pattern as well. */
function canonicalPattern(pattern: string): string {
  return pattern.endsWith(DELIMITER) ? pattern : canonicalName(pattern);
}
