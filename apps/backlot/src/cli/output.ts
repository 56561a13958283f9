/** Prints a line on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a line on standard error: what is not the command's result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Waits until what was printed has left the process, so that an exit does not cut it off. */
export async function flush(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  );
}
