import type { JSX } from 'preact';
import { titleOf } from '../lib/kinds.js';

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  return hash >>> 0;
}

/** A sign that is each kind's own, made of its name: a field of three by five, alike left and right. */
export function Mark({ kind }: { readonly kind: string }): JSX.Element {
  const hash = hashOf(`${kind} mark`);
  const cells: JSX.Element[] = [];
  for (let row = 0; row < 5; row += 1) {
    for (let column = 0; column < 3; column += 1) {
      if (((hash >>> (row * 3 + column)) & 1) === 0 && !(row === 2 && column === 2)) continue;
      cells.push(<rect key={`${row}.${column}`} x={column} y={row} width="1" height="1" />);
      if (column < 2)
        cells.push(<rect key={`${row}.${4 - column}`} x={4 - column} y={row} width="1" height="1" />);
    }
  }
  return (
    <svg class="mark" viewBox="0 0 5 5" aria-hidden="true">
      {cells}
    </svg>
  );
}

/** A kind by its sign and name. */
export function KindName({ kind }: { readonly kind: string }): JSX.Element {
  return (
    <span class="kind">
      <Mark kind={kind} />
      {titleOf(kind)}
    </span>
  );
}
