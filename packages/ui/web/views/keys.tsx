import type { JSX } from 'preact';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'Search'],
  ['j, k', 'Next and previous entry of the timeline'],
  ['x', 'Mark the entry, to save several; so do Ctrl and a click, and Shift as far as a click'],
  ['p', 'Pause the timeline, or let it go on'],
  ['Esc', 'Close what is open beside a list'],
  [
    'g then a letter',
    'Go: t timeline, m mocks, i messages, d data, c connections, f faults, w webhooks, e import and export',
  ],
  ['?', 'These keys'],
];

/** Which keys do what. */
export function Keys({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <dialog
      class="dialog narrow"
      aria-label="Keys"
      ref={(element) => {
        if (element !== null && !element.open) element.showModal();
      }}
      onClose={onClose}
    >
      <header class="bar">
        <h2>Keys</h2>
        <span class="space" />
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <dl class="pairs">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
