import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { change } from '../lib/address.js';
import { oneLine } from '../lib/format.js';
import type { KindSchema } from '../lib/kinds.js';
import type { Action } from '../lib/action.js';
import { Body } from '../parts/body.js';
import { Failed } from '../parts/empty.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { Pairs } from '../parts/pairs.js';
import { useAsync } from '../parts/use-async.js';
import type { Message } from '../lib/items.js';

interface Given {
  readonly schema: KindSchema;
  readonly captures: NonNullable<KindSchema['captures']>;
  readonly id: string;
}

/** What is published to send a message once more: the fields that both have. */
function againOf(message: Message, { publish }: KindSchema): Message {
  const known = Object.keys(publish?.schema.properties ?? {});
  const again: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    if (name === 'id' || value === undefined || !known.includes(name)) continue;
    const isBytes = message[`${name}_encoding`] === 'base64' && known.includes(`${name}_base64`);
    again[isBytes ? `${name}_base64` : name] = value;
  }
  return again;
}

/** The request that publishes a message of a kind. */
export function publishing(kind: string, path: string, body: unknown): Action {
  const ts = `await backlot.host.kind('${kind}').data.publish(${JSON.stringify(body)})`;
  return { method: 'POST', path, body, ts };
}

/** One captured message. */
export function MessageView({ schema, captures, id }: Given): JSX.Element {
  const path = `${captures.path}/${encodeURIComponent(id)}`;
  const { value: message, error } = useAsync((signal) => api<Message>(path, { signal }), [path]);
  const [isSending, setSending] = useState(false);
  if (error !== undefined) return <Failed error={error} />;
  if (message === undefined) return <p class="quiet loading">...</p>;
  const { publish } = schema;
  const source = captures.view?.source;
  const rest = Object.fromEntries(
    Object.entries(message).filter(([name]) => name !== source && !name.endsWith('_encoding')),
  );
  const { headers, properties, ...facts } = rest;
  return (
    <section class="detail" aria-label="Message">
      <header class="bar">
        <h2>{oneLine(message[captures.view?.group ?? 'id']) || id}</h2>
        <span class="space" />
        {publish === undefined ? null : (
          <button type="button" onClick={() => setSending(true)}>
            Send again
          </button>
        )}
        <button type="button" class="plain" aria-label="Close" onClick={() => change({ id: undefined })}>
          ×
        </button>
      </header>
      <Pairs values={facts} />
      <Pairs values={headers as Message | undefined} />
      <Pairs values={properties as Message | undefined} />
      {source === undefined ? null : (
        <Body
          text={typeof message[source] === 'string' ? message[source] : undefined}
          encoding={message[`${source}_encoding`] as string | undefined}
        />
      )}
      {isSending && publish !== undefined ? (
        <JsonDialog
          title="Send again"
          value={againOf(message, schema)}
          source={{ schema: publish.schema, defs: schema.$defs }}
          button="Send"
          action={(body) => publishing(schema.protocol, publish.path, body)}
          onClose={() => setSending(false)}
        />
      ) : null}
    </section>
  );
}
