import { visible, visibleJson, visibleLines } from './visible.js';

// Everything that a command says goes through this file: what a user or a server wrote must not reach the terminal as
// something that it acts on.

const gone = new AbortController();

/** Aborted once nobody reads standard output any more. */
export const outputGone: AbortSignal = gone.signal;

/**
 * Makes sure that output which cannot be written ends nothing. A reader that has seen enough, such as `head`, closes the
 * pipe: what the command does goes on, and only its output is left out. Any other failure is a line on standard error,
 * and the exit code of a command that has nothing else to say is 1.
 */
export function guardOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (gone.signal.aborted) return;
    gone.abort(error);
    if (isUnread(error)) return;
    process.exitCode = 1;
    note(`error: cannot write to standard output: ${error.message}`);
  });
}

/**
 * Says once on standard error that nobody reads standard output any more, as soon as a line meets the closed pipe: for what goes on
 * after its announcement. A failure of another kind has its line already.
 */
export function sayWhenUnread(): void {
  outputGone.addEventListener('abort', () => {
    if (isUnread(outputGone.reason))
      note(
        'warning: nobody reads standard output any more: what stands there is left out, and the servers go on until they get SIGTERM',
      );
  });
}

/** Prints a line on standard output. */
export function print(line: string): void {
  write(visible(line));
}

/** Prints lines on standard output. */
export function printLines(lines: readonly string[]): void {
  for (const line of lines) print(line);
}

/** Prints a text on standard output whose line breaks and tabs are part of it. */
export function printText(text: string): void {
  write(visibleLines(text));
}

const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

/** Prints pieces on one line of a terminal, with a space between two of them, each in its colour. */
export function printPainted(
  pieces: readonly { readonly text: string; readonly colour?: keyof typeof COLOURS | undefined }[],
): void {
  const painted = pieces.map(({ text, colour }) =>
    colour === undefined ? visible(text) : `\u001b[${COLOURS[colour]}m${visible(text)}\u001b[0m`,
  );
  write(painted.join(' '));
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  printJsonText(JSON.stringify(value, null, 2));
}

/** Prints what a command has done: a line for people, or what the server answered as JSON. */
export function printDone(line: string, answer: unknown, { json }: { readonly json?: boolean }): void {
  if (json === true) printJson(answer ?? {});
  else print(line);
}

/** Prints a value that is JSON already. */
export function printJsonText(json: string): void {
  write(visibleJson(json));
}

/** Prints a line on standard error: what is not the command's result. */
export function note(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

/** Prints a text on standard error whose line breaks are part of it. */
export function noteText(text: string): void {
  process.stderr.write(`${visibleLines(text)}\n`);
}

function write(text: string): void {
  if (!gone.signal.aborted) process.stdout.write(`${text}\n`);
}

function isUnread(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

/** Waits until what was printed has left the process, so that an exit does not cut it off. */
export async function flush(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  );
}
