import type { JSX } from 'preact';
import { change, space } from '../lib/address.js';
import { spaces } from '../lib/spaces.js';

/** Chooses what the whole page shows: the main world, or one of its spaces. There is nothing to choose while there are none. */
export function SpaceChooser(): JSX.Element | null {
  const shown = space.value;
  const ids = spaces.value.map(({ id }) => id);
  if (shown === '' && ids.length === 0) return null;
  return (
    <select
      class={shown === '' ? 'spaces-choice' : 'spaces-choice inside'}
      aria-label="Space"
      value={shown}
      // What is chosen within one world is not there in another one.
      onChange={(event) =>
        change({ space: event.currentTarget.value, entry: undefined, id: undefined, protocol: undefined })
      }
    >
      <option value="">Main world</option>
      {(ids.includes(shown) || shown === '' ? ids : [...ids, shown]).map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
}
