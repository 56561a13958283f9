import { clearTimeout, setTimeout } from 'node:timers';
import { BacklotError, type Protocol } from '@backlot/core';

/** How long a shared Backlot waits for the next file, in milliseconds: runners load the next one at once. */
const IDLE = 200;

interface Stoppable {
  stop(): Promise<void>;
}

interface Shared {
  readonly kinds: string;
  readonly value: Promise<Stoppable>;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

let current: Shared | undefined;

/**
 * Takes what the file before has left, or starts it. It stops when no file has asked for it for a moment.
 *
 * @throws BacklotError `conflict` when what runs has other protocols
 */
export async function takeShared<T extends Stoppable>(
  { protocols = [], config }: { readonly protocols?: readonly Protocol[]; readonly config?: string },
  start: () => Promise<T>,
): Promise<{ readonly value: T; release(): Promise<void> }> {
  const names = protocols.map(({ kind }) => kind);
  const kinds = [...names, ...(config === undefined ? [] : [config])].join(', ');
  current ??= { kinds, value: start(), users: 0, idle: undefined };
  const shared = current;
  if (shared.kinds !== kinds) {
    throw new BacklotError(
      'conflict',
      `a Backlot of ${shared.kinds} runs in this worker already, and one of ${kinds} is asked for; give all files the same options, or leave out \`scope: "worker"\``,
    );
  }
  shared.users += 1;
  clearTimeout(shared.idle);
  const release = async (): Promise<void> => {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.idle = setTimeout(() => {
      if (current === shared) current = undefined;
      void shared.value.then((value) => value.stop());
    }, IDLE);
  };
  try {
    // All who share it gave the same options.
    return { value: (await shared.value) as T, release };
  } catch (thrown) {
    if (current === shared) current = undefined;
    throw thrown;
  }
}
