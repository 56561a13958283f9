import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { token, useToken } from '../lib/api.js';

/** Asks for the token of the management API. */
export function TokenForm(): JSX.Element {
  const [value, setValue] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main class="token">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          useToken(value.trim());
          location.reload();
        }}
      >
        <h1>Backlot</h1>
        <label for="token">
          This server asks for a token: the value of `api.token` or of BACKLOT_API_TOKEN.
        </label>
        <input
          id="token"
          ref={field}
          type="password"
          autocomplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        {token.value === '' ? null : <p class="failed">The token that was given is not the right one.</p>}
        <button type="submit" class="primary">
          Go on
        </button>
        <p class="quiet">It is kept in this tab alone, and gone when the tab is closed.</p>
      </form>
    </main>
  );
}
