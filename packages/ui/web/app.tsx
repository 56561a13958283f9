import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { needsToken } from './lib/api.js';
import { addressOf, go, isJoined, place, space } from './lib/address.js';
import { isTyping } from './lib/keyboard.js';
import { refreshProtocols } from './lib/kinds.js';
import { refreshSpaces } from './lib/spaces.js';
import { clearRows, ended, follow, followAll, link } from './lib/timeline.js';
import { Failed } from './parts/empty.js';
import { Notices } from './parts/notice.js';
import { ApiView } from './views/api.js';
import { Checks } from './views/checks.js';
import { Connections } from './views/connections.js';
import { Data } from './views/data.js';
import { Edit } from './views/edit.js';
import { Files } from './views/files.js';
import { FlightView } from './views/flight.js';
import { Keys } from './views/keys.js';
import { Levers } from './views/levers.js';
import { Messages } from './views/messages.js';
import { Mocks } from './views/mocks.js';
import { Reactions } from './views/reactions.js';
import { SpaceChooser } from './views/space-chooser.js';
import { Spaces } from './views/spaces.js';
import { Timeline } from './views/timeline.js';
import { TokenForm } from './views/token.js';
import { Webhooks } from './views/webhooks.js';

/** The views, with the key that leads to each after `g`. */
const VIEWS: readonly {
  readonly id: string;
  readonly title: string;
  readonly key: string;
  readonly View: () => JSX.Element;
}[] = [
  { id: 'timeline', title: 'Timeline', key: 't', View: Timeline },
  { id: 'mocks', title: 'Mocks', key: 'm', View: Mocks },
  { id: 'messages', title: 'Messages', key: 'i', View: Messages },
  { id: 'data', title: 'Data', key: 'd', View: Data },
  { id: 'connections', title: 'Connections', key: 'c', View: Connections },
  { id: 'levers', title: 'Faults and time', key: 'f', View: Levers },
  { id: 'reactions', title: 'Reactions', key: 'r', View: Reactions },
  { id: 'checks', title: 'Checks', key: 'v', View: Checks },
  { id: 'webhooks', title: 'Webhooks', key: 'w', View: Webhooks },
  { id: 'spaces', title: 'Spaces', key: 's', View: Spaces },
  { id: 'files', title: 'Import and export', key: 'e', View: Files },
];

/** Views that belong to another one. */
const PARENTS: Readonly<Record<string, string>> = { edit: 'mocks', flight: 'files' };
const TITLES: Readonly<Record<string, string>> = { api: 'API', flight: 'Recording' };

const LINKS = { connecting: 'connecting', live: 'live', lost: 'no connection' } as const;

/** How often it is asked which protocols run, in milliseconds. */
const EVERY = 5000;

function View(): JSX.Element {
  const { view } = place.value;
  if (view === 'edit') return <Edit />;
  if (view === 'api') return <ApiView />;
  if (view === 'flight') return <FlightView />;
  const found = VIEWS.find(({ id }) => id === view) ?? VIEWS[0];
  return found === undefined ? <Timeline /> : <found.View />;
}

/** The whole page. */
export function App(): JSX.Element {
  const [showsKeys, setShowsKeys] = useState(false);
  const shown = space.value;
  const together = isJoined.value;
  useEffect(() => {
    const stop = new AbortController();
    clearRows();
    void (together ? followAll : follow)(stop.signal);
    void refreshProtocols().catch(() => undefined);
    return () => stop.abort();
  }, [shown, together]);
  useEffect(() => {
    const refresh = (): void => {
      void refreshProtocols().catch(() => undefined);
      void refreshSpaces().catch(() => undefined);
    };
    refresh();
    const timer = setInterval(refresh, EVERY);
    let goes = false;
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const { key } = event;
      if (goes) {
        goes = false;
        const view = VIEWS.find((each) => each.key === key);
        if (view !== undefined) go(view.id);
      } else if (key === 'g') goes = true;
      else if (key === '?') setShowsKeys(true);
      else if (key === '/') {
        const search = document.getElementById('filter-q');
        if (search === null) return;
        event.preventDefault();
        search.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => {
      clearInterval(timer);
      removeEventListener('keydown', onKey);
    };
  }, []);
  if (needsToken.value) return <TokenForm />;
  const { view } = place.value;
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        To the content
      </a>
      <header class="top">
        <a class="brand" href={addressOf('timeline')}>
          Backlot
        </a>
        <nav aria-label="Views">
          {VIEWS.map(({ id, title }) => (
            <a
              key={id}
              href={addressOf(id)}
              aria-current={id === (PARENTS[view] ?? view) ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <span class="space" />
        <SpaceChooser />
        <span class={`link-state ${link.value}`} role="status">
          {LINKS[link.value]}
        </span>
        <a href={addressOf('api')} aria-current={view === 'api' ? 'page' : undefined}>
          API
        </a>
        <button
          type="button"
          class="plain"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => setShowsKeys(true)}
        >
          ?
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 class="unseen">{VIEWS.find(({ id }) => id === view)?.title ?? TITLES[view] ?? 'Edit'}</h1>
        {ended.value === '' || view === 'spaces' ? (
          <View key={shown} />
        ) : (
          <div class="view scroll">
            <Failed error={ended.value} />
            <p>
              <a href={addressOf(view, { space: '' })}>Show the main world</a>, or choose another of the{' '}
              <a href={addressOf('spaces', { space: '' })}>spaces</a>.
            </p>
          </div>
        )}
      </main>
      <Notices />
      {showsKeys ? <Keys onClose={() => setShowsKeys(false)} /> : null}
    </>
  );
}
