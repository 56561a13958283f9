import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { apiText } from '../lib/api.js';
import { durationOf, oneLine } from '../lib/format.js';
import type { Schema } from '../lib/kinds.js';
import type { Route } from '../lib/openapi.js';
import { AsCode } from '../parts/as-code.js';
import { Body } from '../parts/body.js';
import { attempt } from '../parts/notice.js';
import { SchemaTree } from '../parts/schema-tree.js';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly took: number;
}

function exampleOf({ body }: Route): string {
  const [example] = Object.values(body?.examples ?? {});
  return example === undefined ? '' : JSON.stringify(example.value, undefined, 2);
}

/** The path with what was filled in. */
function pathOf({ path, parameters }: Route, values: Readonly<Record<string, string>>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  const query = new URLSearchParams(
    parameters
      .filter((each) => each.in === 'query' && (values[each.name] ?? '') !== '')
      .map(({ name }): [string, string] => [name, values[name] ?? '']),
  ).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

function parsed(text: string): { readonly value?: unknown; readonly isWrong: boolean } {
  if (text.trim() === '') return { isWrong: false };
  try {
    return { value: JSON.parse(text) as unknown, isWrong: false };
  } catch {
    return { isWrong: true };
  }
}

/** One route: what it takes and answers, and a form to try it. */
export function ApiRoute({
  route,
  schemas,
}: {
  readonly route: Route;
  readonly schemas: Readonly<Record<string, Schema>>;
}): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState(() => exampleOf(route));
  const [answer, setAnswer] = useState<Answer>();
  const { method, parameters, body, responses } = route;
  const { value, isWrong } = parsed(text);
  const missing = parameters.filter(({ name, required }) => required === true && (values[name] ?? '') === '');
  const path = pathOf(route, values);
  // A stream has no end that could be shown.
  const isStream = responses.some(({ type }) => type === 'text/event-stream');
  const send = async (): Promise<void> => {
    const from = performance.now();
    const { status, text: came } = await apiText(path, method, body === undefined ? undefined : value);
    setAnswer({ status, text: came, took: Math.round(performance.now() - from) });
  };
  return (
    <div class="api-route">
      {route.description === undefined ? null : <p>{route.description}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(send);
        }}
      >
        {parameters.length === 0 ? null : (
          <div class="api-parameters">
            {parameters.map(({ name, description, required, schema }) => (
              <div key={name} class="field">
                <label for={`${route.id}-${name}`}>
                  {name}
                  {required === true ? ' *' : ''}
                </label>
                <input
                  id={`${route.id}-${name}`}
                  type="text"
                  autocomplete="off"
                  placeholder={schema?.default === undefined ? '' : oneLine(schema.default)}
                  value={values[name] ?? ''}
                  onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
                />
                {description === undefined ? null : <p class="quiet">{description}</p>}
              </div>
            ))}
          </div>
        )}
        {body === undefined ? null : (
          <div class="field">
            <label for={`${route.id}-body`}>Body{body.required ? ' *' : ''}</label>
            <textarea
              id={`${route.id}-body`}
              class="json"
              rows={Math.min(14, Math.max(3, text.split('\n').length + 1))}
              spellcheck={false}
              aria-invalid={isWrong}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            {isWrong ? <p class="failed">This is no JSON yet.</p> : null}
          </div>
        )}
        <p class="actions">
          <button
            type="submit"
            class={method === 'DELETE' ? 'danger' : 'primary'}
            disabled={isStream || isWrong || missing.length > 0}
          >
            Send {method}
          </button>
          {isStream ? <span class="quiet">It answers a stream: follow it with curl.</span> : null}
          {missing.length === 0 ? null : (
            <span class="quiet">{missing.map(({ name }) => name).join(', ')} must be given.</span>
          )}
        </p>
      </form>
      {answer === undefined ? null : (
        <section class="api-answer" aria-label="Answer" aria-live="polite">
          <h3>
            Answer <span class="status">{answer.status}</span>{' '}
            <span class="quiet count">{durationOf(answer.took)}</span>
          </h3>
          <Body text={answer.text} />
        </section>
      )}
      <AsCode
        action={{ method, path, ...(body === undefined || value === undefined ? {} : { body: value }) }}
      />
      {body?.schema === undefined ? null : (
        <details>
          <summary>What the body may hold</summary>
          <SchemaTree schema={body.schema} schemas={schemas} />
        </details>
      )}
      <ul class="api-answers">
        {responses.map(({ status, description, schema }) => (
          <li key={status}>
            {schema === undefined ? (
              <>
                <span class="status">{status}</span> {description}
              </>
            ) : (
              <details>
                <summary>
                  <span class="status">{status}</span> {description}
                </summary>
                <SchemaTree schema={schema} schemas={schemas} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
