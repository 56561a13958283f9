import type { CompileTools } from '@backlot/core/plugin';
import type { MessageFields } from './schemas.js';

interface Placed {
  readonly message: MessageFields;
  /** Where it stands in the mock. */
  readonly at: string;
}

/**
 * Puts messages in the order of their sequence numbers; those without one take the free places in order. What IMAP
 * cannot say is noted: gaps, numbers given twice, UIDs that do not ascend.
 */
export function placeMessages(messages: readonly MessageFields[], tools: CompileTools): readonly Placed[] {
  const places: (Placed | undefined)[] = messages.map(() => undefined);
  const others: Placed[] = [];
  messages.forEach((message, index) => {
    const at = `/messages/${index}`;
    const number = message.seq_num;
    if (number === undefined) others.push({ message, at });
    else if (number > messages.length) {
      tools.problem(
        `${at}/seq_num`,
        `${number} cannot be: sequence numbers have no gaps, and there are ${messages.length} messages`,
      );
    } else if (places[number - 1] !== undefined) {
      tools.problem(`${at}/seq_num`, `${number} is the sequence number of another message as well`);
    } else places[number - 1] = { message, at };
  });
  const placed = places.flatMap((place) => place ?? others.shift() ?? []);
  checkUids(placed, tools);
  return placed;
}

function checkUids(placed: readonly Placed[], tools: CompileTools): void {
  let last = 0;
  for (const { message, at } of placed) {
    const { uid = last + 1 } = message;
    if (uid <= last) {
      tools.problem(
        `${at}/uid`,
        `${uid} must be above ${last}, the UID of the message before it: UIDs ascend with the sequence numbers`,
      );
    }
    last = Math.max(uid, last);
  }
}
