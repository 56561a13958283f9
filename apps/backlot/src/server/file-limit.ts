import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** How often the watch looks, in milliseconds. */
const CHECK_MS = 1000;
/** How long it says nothing more after it has said something. */
const SILENCE_MS = 60_000;
const EXHAUSTED = /\b(EMFILE|ENFILE)\b/;

const RAISE = 'raise the limit of open files before the start, as in "ulimit -n 65536"';
/** Fewer open files do not suffice to load the code of a server, much of which is read at the same time. */
const LEAST_TO_START = 150;

/** So many files at least can be opened when code is loaded, much of which is read at the same time. */
const SPARE_TO_LOAD = 64;
/** How often it is looked whether they can, in milliseconds. */
const SPARE_CHECK_MS = 50;

/**
 * Loads code once there are files to be opened for it: Node.js never reads a module again that it could not open. What takes files
 * away while the code is read is not kept from doing so.
 *
 * @param isGivenUp - asked while there are none; when it says so, `load` is called as things are
 */
export async function loadWithFiles<T>(load: () => Promise<T>, isGivenUp = (): boolean => false): Promise<T> {
  while (!canOpen(SPARE_TO_LOAD) && !isGivenUp())
    await new Promise<void>((resolve) => void setTimeout(resolve, SPARE_CHECK_MS).unref());
  return load();
}

function canOpen(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    // Anything else is no lack of files, and is told by what is loaded.
    return !EXHAUSTED.test(String((error as NodeJS.ErrnoException).code));
  } finally {
    for (const file of opened) closeSync(file);
  }
}

/** What helps against a failure; `undefined` when its text says nothing of open files. */
export function fileLimitHint(text: string): string | undefined {
  const code = EXHAUSTED.exec(text)?.[1];
  if (code === undefined) return undefined;
  if (code === 'ENFILE')
    return 'the whole system has no more open files to give; close other programs or raise its limit';
  return RAISE;
}

/** What may be behind a file or package that is there and was not found; `undefined` when the limit is high enough. */
export function lowLimitHint(): string | undefined {
  const code = probe();
  // Then the limit cannot be read either.
  if (code !== undefined) return `too many open files (${code}); ${fileLimitHint(code) ?? ''}`;
  const limit = readLimit();
  if (limit === undefined || limit >= LEAST_TO_START) return undefined;
  return `the limit of open files is ${limit}, and a start needs ${LEAST_TO_START}; ${RAISE}`;
}

/**
 * Says that the system gives no more files or sockets, once a minute at most. It looks every second whether another one
 * can be opened: connections that come when none can are closed by the runtime without telling anybody.
 *
 * @param say - takes the warning
 * @returns takes a log line; answers whether it is about this, and so has been said
 */
export function watchFileLimit(say: (text: string) => void): (text: string) => boolean {
  // When it is needed it can no longer be read.
  const limit = readLimit();
  let isSilent = false;
  const tell = (text: string): void => {
    if (isSilent) return;
    isSilent = true;
    setTimeout(() => (isSilent = false), SILENCE_MS).unref();
    say(`${text}${limit === undefined ? '' : ` (the limit is ${limit})`}; ${fileLimitHint(text) ?? ''}`);
  };
  setInterval(() => {
    const code = probe();
    if (code !== undefined) tell(`too many open files (${code}), so new connections are closed`);
  }, CHECK_MS).unref();
  return (text) => {
    if (!EXHAUSTED.test(text)) return false;
    tell(text);
    return true;
  };
}

function probe(): string | undefined {
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    return EXHAUSTED.exec(String((error as NodeJS.ErrnoException).code))?.[1];
  }
}

/** The limit of this process, where the system shows it as a file (Linux: proc(5)). */
function readLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
