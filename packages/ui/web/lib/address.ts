import { computed, signal } from '@preact/signals';

/** Where the page is: the view, and what it shows. All of it stands in the address, so that a link can be shared. */
export interface Place {
  readonly view: string;
  readonly params: Readonly<Record<string, string>>;
}

function read(): Place {
  const [view = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {
    view: decodeURIComponent(view) || 'timeline',
    params: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Where the page is now. */
export const place = signal<Place>(read());

/** The space that the whole page shows; empty for the main world. */
export const space = computed(() => place.value.params['space'] ?? '');

addEventListener('hashchange', () => {
  place.value = read();
});

/** Whether the timeline shows the main world and all of its spaces together. */
export const isJoined = computed(() => space.value === '' && place.value.params['all'] === '1');

/** The address of a view, in the space that is shown. */
export function addressOf(view: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries({ space: space.value, ...params }).filter(
    (entry): entry is [string, string] => (entry[1] ?? '') !== '',
  );
  const query = new URLSearchParams(given).toString();
  return `#/${encodeURIComponent(view)}${query === '' ? '' : `?${query}`}`;
}

/** Goes to a view. */
export function go(view: string, params: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = addressOf(view, params);
}

/** Changes some of what the view shows; an empty text takes it away. What is typed does not fill the history. */
export function change(params: Readonly<Record<string, string | undefined>>, isTyped = false): void {
  const { view, params: old } = place.value;
  const address = addressOf(view, { ...old, ...params });
  if (isTyped) {
    history.replaceState(null, '', address);
    place.value = read();
  } else location.hash = address;
}
