import { useEffect, useState } from 'preact/hooks';
import { ApiError, api, type Problem } from './api.js';
import type { CodeFormat } from './code-format.js';
import type { Draft } from './drafts.js';
import type { Work } from './working.js';

/** How long nothing must be typed before a mock is tried, in milliseconds. */
const QUIET = 350;

/** What `POST /api/dry-run/<kind>` answers. */
export interface DryRun {
  readonly looked_at: number;
  readonly matches: number;
  readonly changes: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** What became of the last try: a result, or what is wrong with the mock. */
export interface Tried {
  readonly result?: DryRun;
  readonly problems: readonly Problem[];
  /** What is wrong with it though it would be taken. */
  readonly warnings?: readonly string[];
  readonly error?: string;
}

/** Tries a mock against what came last, a moment after it was changed. */
export function useDryRun({ kind, id }: Work, mock: Draft | undefined, format: CodeFormat): Tried {
  const text = JSON.stringify(mock);
  const [tried, setTried] = useState<Tried>({ problems: [] });
  useEffect(() => {
    if (mock === undefined) {
      setTried({ problems: [], error: `This is no object of ${format.toUpperCase()}.` });
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = id === undefined ? { mock } : { mock, replaces: id };
      let warnings: readonly string[] = [];
      api<DryRun>(`/api/dry-run/${encodeURIComponent(kind)}`, {
        question: body,
        signal: stop.signal,
        onWarnings: (found) => {
          warnings = found;
        },
      }).then(
        (result) => setTried({ result, problems: [], warnings }),
        (thrown: unknown) => {
          if (stop.signal.aborted) return;
          const problems = thrown instanceof ApiError ? thrown.details : [];
          const within = problems.map(({ path, message }) => ({
            path: path.replace(/^\/mock/, ''),
            message,
          }));
          setTried({ problems: within, error: thrown instanceof Error ? thrown.message : String(thrown) });
        },
      );
    }, QUIET);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, kind, id, format]);
  return tried;
}
