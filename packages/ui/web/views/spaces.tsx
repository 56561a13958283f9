import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../lib/action.js';
import { addressOf, go, space } from '../lib/address.js';
import { dateOf, quoted } from '../lib/format.js';
import { refreshSpaces, spaces, type Space } from '../lib/spaces.js';
import { Act, ActForm } from '../parts/act.js';
import { Copied } from '../parts/copied.js';
import { Empty } from '../parts/empty.js';
import { KindName } from '../parts/mark.js';

function SpaceItem({ id, created_at: made, expires_at: ends, protocols, env }: Space): JSX.Element {
  const path = `/api/spaces/${encodeURIComponent(id)}`;
  const ended = async (): Promise<void> => {
    await refreshSpaces();
    if (space.value === id) go('spaces', { space: '' });
  };
  return (
    <li class="item">
      <header class="bar">
        <strong class="target">{id}</strong>
        {space.value === id ? <span class="flag">shown</span> : null}
        <span class="quiet">
          made {dateOf(made)}, ends {dateOf(ends)} unless it is used before
        </span>
        <span class="space" />
        <a class="button" href={addressOf('timeline', { space: id })}>
          Show
        </a>
        <Act
          class="small"
          text="Reset"
          action={{
            method: 'POST',
            path: `${path}/reset`,
            cli: `reset --space ${quoted(id)}`,
            ts: `backlot.host.spaces.get(${JSON.stringify(id)}).host.reset()`,
          }}
          done={`${id} is as at its start`}
        />
        <Act
          class="small danger"
          text="End"
          label={`End ${id}`}
          action={{
            method: 'DELETE',
            path,
            cli: `spaces end ${quoted(id)}`,
            ts: `await backlot.host.spaces.remove(${JSON.stringify(id)})`,
          }}
          onDone={ended}
        />
      </header>
      {Object.keys(protocols).length === 0 ? (
        <p class="quiet">None of its own ports is open; they open when they are asked for.</p>
      ) : (
        <dl class="ports">
          {Object.entries(protocols).map(([kind, { url }]) => (
            <div key={kind}>
              <dt>
                <KindName kind={kind} />
              </dt>
              <dd class="target">{url}</dd>
            </div>
          ))}
        </dl>
      )}
      {Object.keys(env).length === 0 ? null : (
        <details>
          <summary>Variables for programs</summary>
          <Copied
            text={Object.entries(env)
              .map(([name, value]) => `${name}=${quoted(value)}`)
              .join('\n')}
          />
        </details>
      )}
    </li>
  );
}

/** The request that makes a space; what is empty is left to the server. */
function making({ id, ttl }: { readonly id: string; readonly ttl: string }): Action {
  const parts = [
    'spaces create',
    ...(id === '' ? [] : [quoted(id)]),
    ...(ttl === '' ? [] : [`--ttl ${quoted(ttl)}`]),
  ];
  return {
    method: 'POST',
    path: '/api/spaces',
    body: { ...(id === '' ? {} : { id }), ...(ttl === '' ? {} : { ttl }) },
    cli: parts.join(' '),
  };
}

/** Worlds of their own beside the main one: made, shown, ended. */
export function Spaces(): JSX.Element {
  const [id, setId] = useState('');
  const [ttl, setTtl] = useState('10m');
  return (
    <div class="view scroll">
      <section>
        <h2>Spaces</h2>
        <p class="quiet">
          A space has mocks, faults, state, data, clock and log of its own, and begins with what the
          configuration says. What happens in it is not seen outside.
        </p>
        <ActForm
          class="primary"
          text="Make a space"
          action={making({ id, ttl })}
          onDone={async () => {
            setId('');
            await refreshSpaces();
          }}
        >
          <input
            type="text"
            aria-label="Id of the space"
            placeholder="Id (made up when empty)"
            maxLength={63}
            title="Lower case letters, digits and hyphens"
            value={id}
            onInput={(event) => setId(event.currentTarget.value)}
          />
          <label class="bar">
            ends without use after{' '}
            <input
              type="text"
              class="short"
              value={ttl}
              onInput={(event) => setTtl(event.currentTarget.value)}
            />
          </label>
        </ActForm>
      </section>
      <section>
        {spaces.value.length === 0 ? (
          <Empty action={making({ id: 'mine', ttl: '10m' })}>
            There is no space. Make one above, or by `useBacklot({'{'} space: true {'}'})` in a test.
          </Empty>
        ) : (
          <ul class="items">
            {spaces.value.map((each) => (
              <SpaceItem key={each.id} {...each} />
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}
