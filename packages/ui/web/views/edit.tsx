import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { addressOf, go } from '../lib/address.js';
import { preferFormat, preferredFormat, type CodeFormat } from '../lib/code-format.js';
import { codecOf, parse, type Codec } from '../lib/codecs.js';
import type { Draft } from '../lib/drafts.js';
import { useDryRun } from '../lib/dry-run.js';
import { quoted } from '../lib/format.js';
import { refreshProtocols, schemaOf } from '../lib/kinds.js';
import { edit, work, type Work } from '../lib/working.js';
import { Act } from '../parts/act.js';
import { Empty, Failed } from '../parts/empty.js';
import { Form } from '../parts/form.js';
import { CodeField } from '../parts/code-field.js';
import { KindName } from '../parts/mark.js';
import { attempt, say } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';
import { Effect } from './effect.js';

/** The request that makes a mock, or puts it in the place of the one that is edited. */
function saving({ kind, id }: Work, mock: Draft): Action {
  const path = `/api/mocks/${encodeURIComponent(kind)}`;
  const value = JSON.stringify(mock);
  return id === undefined
    ? {
        method: 'POST',
        path,
        body: mock,
        cli: `add ${kind} ${quoted(value)}`,
        ts: `backlot.host.kind('${kind}').mocks.create(${value})`,
      }
    : {
        method: 'PUT',
        path: `${path}/${encodeURIComponent(id)}`,
        body: mock,
        ts: `backlot.host.kind('${kind}').mocks.replace(${JSON.stringify(id)}, ${value})`,
      };
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
  const saved = async (stored: { readonly id: string }): Promise<void> => {
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
          <Act<{ readonly id: string }>
            class="primary"
            text={id === undefined ? 'Create' : 'Replace'}
            isDisabled={!isReady}
            action={saving(given, mock ?? {})}
            onDone={saved}
          />
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
      </aside>
    </div>
  );
}

/** The editor. */
export function Edit(): JSX.Element {
  const given = work.value;
  if (given === undefined)
    return (
      <Empty command="npx backlot list">
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
