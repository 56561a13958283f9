import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, api, type Problem } from '../lib/api.js';
import { addressOf, go } from '../lib/address.js';
import { preferFormat, preferredFormat, type CodeFormat } from '../lib/code-format.js';
import type { Draft } from '../lib/drafts.js';
import { quoted } from '../lib/format.js';
import { refreshProtocols, schemaOf } from '../lib/kinds.js';
import { edit, work, type Work } from '../lib/working.js';
import { AsCode } from '../parts/as-code.js';
import { Empty, Failed } from '../parts/empty.js';
import { Form } from '../parts/form.js';
import { CodeField } from '../parts/code-field.js';
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

/** Reads and writes one way in which a mock is edited. */
interface Codec {
  readonly format: CodeFormat;
  read(text: string): unknown;
  write(mock: Draft): string;
}

const JSON_CODEC: Codec = {
  format: 'json',
  read: (text) => JSON.parse(text) as unknown,
  write: (mock) => JSON.stringify(mock, undefined, 2),
};

/** YAML is read by a library, which is loaded when it is first wanted. */
async function codecOf(format: CodeFormat): Promise<Codec> {
  if (format === 'json') return JSON_CODEC;
  const { readYaml, writeYaml } = await import('../lib/yaml.js');
  return { format, read: readYaml, write: writeYaml };
}

function parse(text: string, codec: Codec): Draft | undefined {
  try {
    const value = codec.read(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Draft)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Tries a mock against what came last, a moment after it was changed. */
function useDryRun({ kind, id }: Work, mock: Draft | undefined, format: CodeFormat): Tried {
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
  }, [text, kind, id, format]);
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

function Editor({ given, first }: { readonly given: Work; readonly first: Codec }): JSX.Element {
  const { kind, id } = given;
  const { value: schema, error } = useAsync(() => schemaOf(kind), [kind]);
  const [codec, setCodec] = useState(first);
  const [text, setText] = useState(() => first.write(given.mock));
  const [form, setForm] = useState(false);
  const mock = useMemo(() => parse(text, codec), [text, codec]);
  const tried = useDryRun(given, mock, codec.format);
  const source = useMemo(
    () => (schema === undefined ? undefined : { schema: schema.mock.schema, defs: schema.$defs }),
    [schema],
  );
  if (error !== undefined) return <Failed error={error} />;
  if (schema === undefined || source === undefined) return <p class="quiet loading">...</p>;
  const { noun } = schema.mock;
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
  const showAs = async (format: CodeFormat): Promise<void> => {
    setForm(false);
    if (format === codec.format || mock === undefined) return;
    const next = await codecOf(format);
    preferFormat(format);
    setText(next.write(mock));
    setCodec(next);
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
            {(['yaml', 'json'] as const).map((format) => (
              <button
                key={format}
                type="button"
                class="tab"
                aria-pressed={!form && format === codec.format}
                disabled={mock === undefined && format !== codec.format}
                onClick={() => void attempt(() => showAs(format))}
              >
                {format.toUpperCase()}
              </button>
            ))}
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
            onChange={(next) => setText(codec.write(next))}
          />
        ) : (
          <CodeField
            key={codec.format}
            text={text}
            format={codec.format}
            label={`The ${noun} as ${codec.format.toUpperCase()}`}
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
  return <Opened key={`${given.kind} ${given.id ?? ''} ${given.from ?? ''}`} given={given} />;
}

/** The editor, once what reads and writes the form that was used last is there. */
function Opened({ given }: { readonly given: Work }): JSX.Element {
  const { value: first, error } = useAsync(() => codecOf(preferredFormat()), []);
  if (error !== undefined) return <Failed error={error} />;
  return first === undefined ? <p class="quiet loading">...</p> : <Editor given={given} first={first} />;
}
