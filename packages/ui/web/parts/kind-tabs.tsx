import type { JSX } from 'preact';
import { KindName } from './mark.js';

interface Given {
  readonly kinds: readonly { readonly kind: string; readonly count?: number }[];
  readonly chosen: string;
  readonly onChoose: (kind: string) => void;
}

/** Chooses a kind. */
export function KindTabs({ kinds, chosen, onChoose }: Given): JSX.Element {
  return (
    <div class="kinds" role="group" aria-label="Protocols">
      {kinds.map(({ kind, count }) => (
        <button
          key={kind}
          type="button"
          class="kind-tab"
          aria-pressed={kind === chosen}
          onClick={() => onChoose(kind)}
        >
          <KindName kind={kind} />
          {count === undefined ? null : <span class="count">{count}</span>}
        </button>
      ))}
    </div>
  );
}
