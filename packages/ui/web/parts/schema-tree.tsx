import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../lib/kinds.js';
import { formsOf } from '../lib/schema-at.js';

interface Given {
  readonly schema: Schema;
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** The name of a type, or the values that there are. */
function typeOf({ schema, schemas }: Given): string {
  const forms = formsOf({ schema, defs: schemas });
  const names = forms.map(({ type, const: only, enum: some, items }) => {
    if (only !== undefined) return JSON.stringify(only);
    if (some !== undefined) return some.map((value) => JSON.stringify(value)).join(' | ');
    if (type === 'array')
      return items === undefined ? 'list' : `list of ${typeOf({ schema: items, schemas })}`;
    return type ?? 'anything';
  });
  const different = [...new Set(names)];
  return different.length > 6 ? `${different.slice(0, 6).join(' | ')} | ...` : different.join(' | ');
}

/** The object that a schema is, or that its list is of. */
function fieldsOf({ schema, schemas }: Given): readonly (readonly [string, Schema, boolean])[] {
  const found = new Map<string, readonly [string, Schema, boolean]>();
  const look = (each: Schema, depth: number): void => {
    for (const { properties = {}, required = [], items } of formsOf({ schema: each, defs: schemas })) {
      for (const [name, inner] of Object.entries(properties))
        if (!found.has(name)) found.set(name, [name, inner, required.includes(name)]);
      if (items !== undefined && depth < 2) look(items, depth + 1);
    }
  };
  look(schema, 0);
  return [...found.values()];
}

/** A schema as its fields; what is within a field is shown when it is opened. */
export function SchemaTree({ schema, schemas }: Given): JSX.Element {
  const fields = fieldsOf({ schema, schemas });
  if (fields.length === 0) return <p class="quiet">{typeOf({ schema, schemas })}</p>;
  return (
    <ul class="schema">
      {fields.map(([name, inner, isRequired]) => (
        <Field key={name} name={name} schema={inner} schemas={schemas} isRequired={isRequired} />
      ))}
    </ul>
  );
}

function Field({
  name,
  schema,
  schemas,
  isRequired,
}: Given & { readonly name: string; readonly isRequired: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const hasMore = fieldsOf({ schema, schemas }).length > 0;
  const description = schema.description ?? formsOf({ schema, defs: schemas })[0]?.description;
  return (
    <li>
      {hasMore ? (
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {name}
        </button>
      ) : (
        <code>{name}</code>
      )}
      {isRequired ? ' *' : ''} <span class="quiet">{typeOf({ schema, schemas })}</span>
      {description === undefined ? null : <span> {description}</span>}
      {isOpen ? <SchemaTree schema={schema} schemas={schemas} /> : null}
    </li>
  );
}
