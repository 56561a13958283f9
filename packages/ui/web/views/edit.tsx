import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, api, type Problem } from '../lib/api.js';
import { addressOf, go } from '../lib/address.js';
import type { Draft } from '../lib/drafts.js';
import { quoted } from '../lib/format.js';
import { refreshProtocols, schemaOf } from '../lib/kinds.js';
import { edit, work, type Work } from '../lib/working.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { Form } from '../parts/form.js';
import { JsonEditor } from '../parts/json-editor.js';
import { KindName } from '../parts/mark.js';
import { attempt, say } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

/** How long nothing must be typed before a mock is tried, in milliseconds. */
const QUIET = 350;

/** What `POST /api/dry-run/<kind>` answers. */
interface DryRun {
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

interface Tried {
  readonly result?: DryRun;
  readonly problems: readonly Problem[];
  readonly error?: string;
}

function parse(text: string): Draft | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Draft)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Tries a mock against what came last, a moment after it was changed. */
function useDryRun({ kind, id }: Work, text: string): Tried {
  const [tried, setTried] = useState<Tried>({ problems: [] });
  useEffect(() => {
    const mock = parse(text);
    if (mock === undefined) {
      setTried({ problems: [], error: 'This is no JSON object.' });
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = id === undefined ? { mock } : { mock, replaces: id };
      api<DryRun>(`/api/dry-run/${encodeURIComponent(kind)}`, { body, signal: stop.signal }).then(
        (result) => setTried({ result, problems: [] }),
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
  }, [text, kind, id]);
  return tried;
}

/** What would change with this mock. */
function Effect({ tried }: { readonly tried: Tried }): JSX.Element {
  const { result, error } = tried;
  if (error !== undefined) return <Failed error={error} />;
  if (result === undefined) return <p class="quiet loading">...</p>;
  const { looked_at: count, matches, changes } = result;
  if (count === 0) return <p class="quiet">Nothing has come yet that this could be tried with.</p>;
  return (
    <>
      <p>
        Of the last {count} {count === 1 ? 'message' : 'messages'}, <strong>{matches}</strong> would match.{' '}
        {changes.length === 0
          ? 'Nothing would be answered by another mock than before.'
          : `${changes.length} would be answered otherwise:`}
      </p>
      <ul class="changes">
        {changes.slice(0, 50).map(({ id, method, path, before, after }) => (
          <li key={id}>
            <a href={addressOf('timeline', { entry: id })}>
              <span class="verb">{method}</span> <span class="target">{path}</span>
            </a>
            <span class="quiet">
              {before ?? 'no match'} → {after ?? 'no match'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Editor({ given }: { readonly given: Work }): JSX.Element {
  const { kind, id } = given;
  const { value: schema, error } = useAsync(() => schemaOf(kind), [kind]);
  const [text, setText] = useState(() => JSON.stringify(given.mock, undefined, 2));
  const [form, setForm] = useState(false);
  const tried = useDryRun(given, text);
  const source = useMemo(
    () => (schema === undefined ? undefined : { schema: schema.mock.schema, defs: schema.$defs }),
    [schema],
  );
  if (error !== undefined) return <Failed error={error} />;
  if (schema === undefined || source === undefined) return <p class="quiet loading">...</p>;
  const { noun } = schema.mock;
  const mock = parse(text);
  const path = `/api/mocks/${encodeURIComponent(kind)}`;
  const save = async (): Promise<void> => {
    const stored =
      id === undefined
        ? await api<{ id: string }>(path, { body: mock })
        : await api<{ id: string }>(`${path}/${encodeURIComponent(id)}`, { method: 'PUT', body: mock });
    await refreshProtocols();
    say(`${noun} "${stored.id}" is in effect`);
    edit({ ...given, id: stored.id, mock: stored });
    go('mocks', { kind, id: stored.id });
  };
  const isReady = mock !== undefined && tried.error === undefined;
  return (
    <div class="edit">
      <section class="work" aria-label={`The ${noun}`}>
        <header class="bar">
          <h2>
            <KindName kind={kind} /> {id === undefined ? `New ${noun}` : id}
          </h2>
          <span class="space" />
          <div role="group" aria-label="Edit as" class="forms">
            <button
              type="button"
              class="tab"
              aria-pressed={form}
              disabled={mock === undefined}
              onClick={() => setForm(true)}
            >
              Form
            </button>
            <button type="button" class="tab" aria-pressed={!form} onClick={() => setForm(false)}>
              JSON
            </button>
          </div>
          <button type="button" class="primary" disabled={!isReady} onClick={() => void attempt(save)}>
            {id === undefined ? 'Create' : 'Replace'}
          </button>
        </header>
        {form && mock !== undefined ? (
          <Form
            value={mock}
            source={source}
            problems={tried.problems}
            onChange={(next) => setText(JSON.stringify(next, undefined, 2))}
          />
        ) : (
          <JsonEditor
            text={text}
            label={`The ${noun} as JSON`}
            source={source}
            problems={tried.problems}
            onChange={setText}
          />
        )}
      </section>
      <aside class="effect" aria-label="What would change" aria-live="polite">
        <h3>Before you save</h3>
        <Effect tried={tried} />
        {mock === undefined ? null : (
          <AsCode
            action={{
              method: id === undefined ? 'POST' : 'PUT',
              path: id === undefined ? path : `${path}/${encodeURIComponent(id)}`,
              body: mock,
              ...(id === undefined ? { cli: `add ${kind} ${quoted(JSON.stringify(mock))}` } : {}),
              ts:
                id === undefined
                  ? `backlot.host.kind('${kind}').mocks.create(${JSON.stringify(mock)})`
                  : `backlot.host.kind('${kind}').mocks.replace(${JSON.stringify(id)}, ${JSON.stringify(mock)})`,
            }}
          />
        )}
      </aside>
    </div>
  );
}

/** The editor. */
export function Edit(): JSX.Element {
  const given = work.value;
  if (given === undefined)
    return (
      <Empty>
        Nothing is being edited. Open a <a href={addressOf('mocks')}>mock</a>, or make one from an entry of
        the <a href={addressOf('timeline')}>timeline</a>.
      </Empty>
    );
  return <Editor key={`${given.kind} ${given.id ?? ''} ${given.from ?? ''}`} given={given} />;
}
