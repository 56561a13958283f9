import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { say } from './notice.js';

/** A place for one file, which is chosen or dropped. */
export function Drop({
  label,
  several,
  onFile,
  children,
}: {
  readonly label: string;
  /** What is said when several are dropped. */
  readonly several: string;
  readonly onFile: (file: File) => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const files = event.dataTransfer?.files;
        const file = files?.[0];
        if ((files?.length ?? 0) > 1) say(several, true);
        else if (file !== undefined) onFile(file);
      }}
    >
      <label>
        {label}{' '}
        <input
          type="file"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) onFile(file);
          }}
        />
      </label>
      {children}
    </div>
  );
}
