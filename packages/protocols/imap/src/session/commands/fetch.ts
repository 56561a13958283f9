import { Slice, turns } from '@backlot/core/plugin';
import { changeFlags } from '../../mail/flags.js';
import { readFetchItems, type FetchItem } from '../../wire/fetch-items.js';
import { SequenceSet } from '../../wire/sequence-set.js';
import type { Command } from '../command.js';
import type { Done } from '../job.js';
import {
  pickMessages,
  requireMailbox,
  selectedMailbox,
  type Picked,
  type SelectedMailbox,
} from '../pick-messages.js';
import type { CommandContext } from '../command-context.js';
import { writeMessage } from '../write-message.js';

const SEEN = '\\Seen';
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
          return sendAll(session, writeAll(session, target, items, picked), done);
        },
      };
    },
  };
}

function* writeAll(
  session: CommandContext,
  { selected }: SelectedMailbox,
  items: readonly FetchItem[],
  picked: readonly Picked[],
): Generator<'full' | undefined, void> {
  for (const one of picked) {
    const goesOn = yield* writeMessage(session, selected, withFlags(items, one), one);
    yield goesOn ? undefined : 'full';
  }
}

/**
 * Sends as fast as the client reads, and lets others in when it takes long; a promise only when it has to wait.
 *
 * @param steps - yields `full` when the client has to read first
 */
function sendAll(
  session: CommandContext,
  steps: Generator<'full' | undefined, void>,
  done: Done,
): Done | Promise<Done> {
  const { connection } = session;
  const { socket } = connection;
  const slice = new Slice();
  let goOn: (() => void) | undefined;
  const sendSome = (): boolean => {
    slice.restart();
    for (;;) {
      const step = steps.next();
      if (step.done === true || connection.isEnded) return true;
      if (step.value === 'full' && socket.writableNeedDrain) {
        if (goOn !== undefined) socket.once('drain', goOn);
        return false;
      }
      if (slice.isOver) {
        if (goOn !== undefined) turns.wait(goOn);
        return false;
      }
    }
  };
  if (sendSome()) return done;
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.off('close', finish);
      resolve(done);
    };
    goOn = connection.isolate(() => {
      if (sendSome()) finish();
    });
    // Which of the two held it up does not matter: it is found out again.
    turns.wait(goOn);
    socket.once('close', finish);
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
