import { signal } from '@preact/signals';
import type { JSX } from 'preact';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly as: 'done' | 'warning' | 'error';
}

const notices = signal<readonly Notice[]>([]);
let count = 0;

/** Says something at the edge of the page, for some seconds; an error until it is closed. */
export function say(text: string, isError = false): void {
  add(text, isError ? 'error' : 'done');
}

/** Says what an answer warns of, until it is closed. */
export function warn(warnings: readonly string[]): void {
  if (warnings.length > 0) add(`Taken, though ${warnings.join('; ')}`, 'warning');
}

function add(text: string, as: Notice['as']): void {
  count += 1;
  const id = count;
  notices.value = [...notices.value.slice(-3), { id, text, as }];
  if (as === 'done') setTimeout(() => drop(id), 4000);
}

function drop(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Does something, and says when it fails. @returns whether it has worked */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action();
    if (done !== undefined) say(done);
    return true;
  } catch (thrown) {
    say(thrown instanceof Error ? thrown.message : String(thrown), true);
    return false;
  }
}

/** What was said. */
export function Notices(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, as }) => (
        <p key={id} class={as === 'done' ? 'notice' : `notice ${as}`}>
          {text}
          <button type="button" class="plain" aria-label="Close" onClick={() => drop(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
