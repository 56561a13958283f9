import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, apiFile, mainUrlOf, request } from '../lib/api.js';
import { change } from '../lib/address.js';
import { dateOf, oneLine } from '../lib/format.js';
import type { KindSchema } from '../lib/kinds.js';
import { saveFile } from '../lib/save-file.js';
import { Failed } from '../parts/empty.js';
import { attempt } from '../parts/notice.js';
import { Pairs } from '../parts/pairs.js';
import { useAsync } from '../parts/use-async.js';
import type { Message } from '../lib/items.js';
import { Code } from '../parts/code.js';

interface Given {
  readonly captures: NonNullable<KindSchema['captures']>;
  readonly id: string;
}

async function save(path: string, name: string): Promise<void> {
  saveFile(name, (await apiFile(path)).blob);
}

/** The HTML of a mail: in a frame without origin, scripts and anything from elsewhere, see the route of frames. */
function Html({ path }: { readonly path: string }): JSX.Element {
  const { value, error } = useAsync(
    (signal) => request<{ path: string }>(`${path}/frame`, { method: 'POST', signal }),
    [path],
  );
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  return <iframe class="mail" title="The mail as HTML" sandbox="" src={mainUrlOf(value.path)} />;
}

/** One mail. */
export function MailView({ captures, id }: Given): JSX.Element {
  const path = `${captures.path}/${encodeURIComponent(id)}`;
  const { value: mail, error } = useAsync((signal) => api<Message>(path, { signal }), [path]);
  const [chosen, choose] = useState<string>();
  const view = captures.view ?? { as: 'mail' };
  if (error !== undefined) return <Failed error={error} />;
  if (mail === undefined) return <p class="quiet loading">...</p>;
  const field = (name: string | undefined): string | undefined => {
    const value = name === undefined ? undefined : mail[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const html = field(view.html);
  const text = field(view.text);
  const tabs = [
    ...(html === undefined ? [] : ['HTML']),
    ...(text === undefined ? [] : ['Text']),
    'Headers',
    'Source',
  ];
  const tab = chosen ?? tabs[0] ?? 'Source';
  const attachments = (mail['attachments'] ?? []) as readonly {
    filename?: string;
    content_type?: string;
    size?: number;
  }[];
  return (
    <section class="detail" aria-label="Mail">
      <header class="bar">
        <h2>{field(view.title) ?? '(no subject)'}</h2>
        <span class="space" />
        <button type="button" class="plain" aria-label="Close" onClick={() => change({ id: undefined })}>
          ×
        </button>
      </header>
      <Pairs
        values={{
          from: oneLine(mail[view.from ?? 'from']),
          to: [mail[view.to ?? 'to']].flat().map(oneLine).join(', '),
          received: dateOf(oneLine(mail[captures.time])),
        }}
      />
      {attachments.length === 0 || !captures.attachments ? null : (
        <ul class="attachments" aria-label="Attachments">
          {attachments.map(({ filename, content_type: type, size }, index) => {
            const name = filename === undefined || filename === '' ? `attachment-${index}` : filename;
            return (
              <li key={index}>
                <button
                  type="button"
                  class="chip"
                  onClick={() => void attempt(() => save(`${path}/attachments/${index}`, name))}
                >
                  {name}{' '}
                  <span class="quiet">
                    {[type, size === undefined ? '' : `${size} B`].filter(Boolean).join(', ')}
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <div class="forms" role="group" aria-label="Show the mail as">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            class="tab"
            aria-pressed={name === tab}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {tab === 'HTML' ? (
        <>
          <p class="quiet">Scripts, links and what would be loaded from elsewhere are off.</p>
          <Html path={path} />
        </>
      ) : tab === 'Headers' ? (
        <Pairs values={mail['headers'] as Readonly<Record<string, unknown>> | undefined} />
      ) : (
        <Code>{tab === 'Text' ? text : oneLine(mail[view.source ?? 'body'])}</Code>
      )}
    </section>
  );
}
