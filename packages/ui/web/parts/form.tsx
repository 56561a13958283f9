import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Problem } from '../lib/api.js';
import type { Draft } from '../lib/drafts.js';
import type { Schema } from '../lib/kinds.js';
import { formsOf, type SchemaSource } from '../lib/schema-at.js';

interface Given {
  readonly value: Draft;
  readonly source: SchemaSource;
  readonly problems: readonly Problem[];
  readonly onChange: (value: Draft) => void;
}

/** How deep objects have forms of their own; deeper ones are written as JSON. */
const MAX_DEPTH = 3;

/** A form for an object, made of its schema: the fields that are set, and a list of those that can be added. */
export function Form({ value, source, problems, onChange }: Given): JSX.Element {
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <Fields value={value} source={source} problems={problems} path="" depth={0} onChange={onChange} />
    </form>
  );
}

function Fields({
  value,
  source,
  problems,
  path,
  depth,
  onChange,
}: Given & { readonly path: string; readonly depth: number }): JSX.Element {
  const known = new Map<string, Schema>();
  for (const { properties = {} } of formsOf(source))
    for (const [name, schema] of Object.entries(properties)) known.set(name, known.get(name) ?? schema);
  const required = new Set(formsOf(source).flatMap(({ required: names = [] }) => names));
  const missing = [...known.keys()].filter((name) => !(name in value));
  const set = (name: string, next: unknown): void => onChange({ ...value, [name]: next });
  return (
    <>
      {Object.entries(value).map(([name, each]) => {
        const schema = known.get(name) ?? {};
        const at = `${path}/${name}`;
        const wrong = problems.filter((problem) => problem.path === at || problem.path.startsWith(`${at}/`));
        return (
          <div key={name} class="field">
            <div class="head">
              <label for={`field${at}`}>{name}</label>
              {required.has(name) ? null : (
                <button
                  type="button"
                  class="plain"
                  aria-label={`Take ${name} away`}
                  onClick={() =>
                    onChange(Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)))
                  }
                >
                  ×
                </button>
              )}
            </div>
            <Input
              id={`field${at}`}
              value={each}
              source={{ schema, defs: source.defs }}
              problems={problems}
              path={at}
              depth={depth}
              onChange={(next) => set(name, next)}
            />
            {schema.description === undefined ? null : <p class="quiet">{schema.description}</p>}
            {wrong.map(({ message }) => (
              <p key={message} class="failed" role="alert">
                {message}
              </p>
            ))}
          </div>
        );
      })}
      {missing.length === 0 ? null : (
        <select
          class="add"
          aria-label={path === '' ? 'Add a field' : `Add a field of ${path.slice(1)}`}
          value=""
          onChange={(event) => {
            const name = event.currentTarget.value;
            const schema = known.get(name);
            if (schema !== undefined) set(name, firstValue({ schema, defs: source.defs }));
          }}
        >
          <option value="">Add a field ...</option>
          {missing.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** What a field begins with. */
function firstValue(source: SchemaSource): unknown {
  const [form] = formsOf(source);
  if (form === undefined) return '';
  if (form.default !== undefined) return form.default;
  const [example] = form.examples ?? form.enum ?? [];
  if (example !== undefined) return example;
  if (form.const !== undefined) return form.const;
  switch (form.type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return form.minimum ?? 0;
    default:
      return '';
  }
}

interface InputGiven {
  readonly id: string;
  readonly value: unknown;
  readonly source: SchemaSource;
  readonly problems: readonly Problem[];
  readonly path: string;
  readonly depth: number;
  readonly onChange: (value: unknown) => void;
}

function Input({ id, value, source, problems, path, depth, onChange }: InputGiven): JSX.Element {
  if (typeof value === 'boolean')
    return (
      <input
        id={id}
        type="checkbox"
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (typeof value === 'number')
    return (
      <input
        id={id}
        type="number"
        step="any"
        value={value}
        onInput={(event) => {
          if (Number.isFinite(event.currentTarget.valueAsNumber)) onChange(event.currentTarget.valueAsNumber);
        }}
      />
    );
  if (typeof value === 'string') {
    const choices = formsOf(source).flatMap(({ const: only, enum: some = [], examples = [] }) => [
      ...(only === undefined ? [] : [only]),
      ...some,
      ...examples,
    ]);
    const texts = choices.filter((choice): choice is string => typeof choice === 'string');
    if (value.includes('\n'))
      return (
        <textarea
          id={id}
          rows={Math.min(12, value.split('\n').length + 1)}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    return (
      <>
        <input
          id={id}
          type="text"
          list={texts.length === 0 ? undefined : `${id}-list`}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        {texts.length === 0 ? null : (
          <datalist id={`${id}-list`}>
            {texts.map((text) => (
              <option key={text} value={text} />
            ))}
          </datalist>
        )}
      </>
    );
  }
  const hasFields = formsOf(source).some(({ properties }) => properties !== undefined);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && hasFields && depth < MAX_DEPTH)
    return (
      <fieldset id={id} tabIndex={-1} aria-label={path.slice(1)}>
        <Fields
          value={value as Draft}
          source={source}
          problems={problems}
          path={path}
          depth={depth + 1}
          onChange={onChange}
        />
      </fieldset>
    );
  return <JsonInput id={id} value={value} onChange={onChange} />;
}

/** A value that has no form of its own, as JSON. What is no JSON yet is not taken. */
function JsonInput({
  id,
  value,
  onChange,
}: {
  readonly id: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <>
      <textarea
        id={id}
        class="json"
        rows={Math.min(16, text.split('\n').length + 1)}
        aria-invalid={isWrong}
        value={text}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          try {
            onChange(JSON.parse(next));
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
      />
      {isWrong ? <p class="failed">This is no JSON yet.</p> : null}
    </>
  );
}
