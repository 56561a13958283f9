import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../lib/api.js';
import type { CodeFormat } from '../lib/code-format.js';
import type { SchemaSource } from '../lib/schema-at.js';
import type { CodeEditor } from './code-editor.js';
import { say } from './notice.js';

interface Given {
  readonly text: string;
  /** JSON when absent. */
  readonly format?: CodeFormat;
  readonly label: string;
  readonly source: SchemaSource;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
}

/**
 * An editor of JSON or YAML, with completion by a schema. Its code is loaded when the first one is shown. The text that it is given is what it
 * begins with; what is typed then comes faster than it is drawn, and is never put back.
 */
export function CodeField({ text, format = 'json', label, source, problems, onChange }: Given): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const latest = useRef({ onChange, problems, text, source });
  latest.current = { onChange, problems, text, source };
  useEffect(() => {
    let isOver = false;
    import('./code-editor.js').then(
      ({ openEditor }) => {
        if (isOver || place.current === null) return;
        editor.current = openEditor(
          place.current,
          latest.current.text,
          { format, label },
          () => latest.current.source,
          (next) => latest.current.onChange(next),
        );
        editor.current.showProblems(latest.current.problems);
        place.current.dataset['ready'] = 'yes';
      },
      () => say('The editor could not be loaded; load the page again', true),
    );
    return () => {
      isOver = true;
      editor.current?.end();
      editor.current = undefined;
    };
  }, []);
  useEffect(() => editor.current?.showProblems(problems), [problems]);
  return <div ref={place} class="editor" />;
}
