import type { JSX } from 'preact';

/** What is wrong with mocks that would be taken all the same; nothing where nothing is. */
export function Warnings({ warnings }: { readonly warnings: readonly string[] }): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings">
      <h3>
        Warnings <span class="count">{warnings.length}</span>
      </h3>
      <ul class="notes">
        {warnings.map((text) => (
          <li key={text}>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
