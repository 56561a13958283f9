import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { oneLine } from '../lib/format.js';
import type { Section } from '../lib/kinds.js';
import type { DataEntry } from '../lib/items.js';

/** How much of a value is shown beside its name. */
const MAX_HINT = 120;

interface Node {
  readonly name: string;
  /** The id of the entry that is here; undefined for a place that only leads to others. */
  id: string | undefined;
  /** The value of the entry, in short. */
  hint?: string;
  readonly inner: Map<string, Node>;
  count: number;
}

/** The parts of a path; a separator behind a backslash is part of a name. */
function partsOf(path: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < path.length; at += 1) {
    const sign = path[at] ?? '';
    if (sign === '\\') {
      part += sign + (path[at + 1] ?? '');
      at += 1;
    } else if (sign === separator) {
      parts.push(part);
      part = '';
    } else part += sign;
  }
  return [...parts, part].filter((each) => each !== '');
}

function grow(entries: readonly DataEntry[], { id, view }: Section): Node {
  const root: Node = { name: '', id: undefined, inner: new Map(), count: 0 };
  const { path = id, separator = '/', fromEnd = false } = view ?? {};
  for (const entry of entries) {
    const parts = partsOf(oneLine(entry[path]), separator);
    if (fromEnd) parts.reverse();
    let node = root;
    for (const name of parts) {
      let next = node.inner.get(name);
      if (next === undefined)
        node.inner.set(name, (next = { name, id: undefined, inner: new Map(), count: 0 }));
      next.count += 1;
      node = next;
    }
    node.id = oneLine(entry[id]);
    node.hint = oneLine(entry[view?.value ?? '']).slice(0, MAX_HINT);
  }
  return root;
}

/** Joins places that lead to one place alone, so that `dc=example,dc=org` is one step. */
function joined(node: Node, separator: string, fromEnd: boolean): Node {
  const [only] = node.inner.values();
  if (node.name === '' || node.id !== undefined || node.inner.size !== 1 || only === undefined) return node;
  const name = fromEnd ? `${only.name}${separator}${node.name}` : `${node.name}${separator}${only.name}`;
  return joined({ ...only, name }, separator, fromEnd);
}

interface BranchGiven {
  readonly node: Node;
  readonly section: Section;
  readonly selected: string | undefined;
  readonly depth: number;
  readonly onSelect: (id: string) => void;
}

function Branch({ node, section, selected, depth, onSelect }: BranchGiven): JSX.Element {
  const { separator = '/', fromEnd = false } = section.view ?? {};
  const [isOpen, setOpen] = useState(depth < 2 || node.count < 10);
  const { id } = node;
  const inner = [...node.inner.values()].map((each) => joined(each, separator, fromEnd));
  return (
    <li>
      <div class="branch" data-depth={Math.min(depth, 9)}>
        {inner.length === 0 ? (
          <span class="leaf" />
        ) : (
          <button
            type="button"
            class="fold"
            aria-expanded={isOpen}
            aria-label={node.name}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        )}
        {id === undefined ? (
          <span class="target">{node.name}</span>
        ) : (
          <button
            type="button"
            class="link target"
            aria-current={id === selected ? 'true' : undefined}
            onClick={() => onSelect(id)}
          >
            {node.name}
          </button>
        )}
        {inner.length === 0 ? null : <span class="count">{node.count}</span>}
        {inner.length === 0 && node.hint ? <span class="hint">{node.hint}</span> : null}
      </div>
      {inner.length === 0 || !isOpen ? null : (
        <ul>
          {inner.slice(0, 500).map((each) => (
            <Branch
              key={each.name}
              node={each}
              section={section}
              selected={selected}
              depth={depth + 1}
              onSelect={onSelect}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

interface Given {
  readonly entries: readonly DataEntry[];
  readonly section: Section;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

/** Entries by the parts of their paths. */
export function Tree({ entries, section, selected, onSelect }: Given): JSX.Element {
  const { separator = '/', fromEnd = false } = section.view ?? {};
  const root = grow(entries, section);
  return (
    <ul class="tree" aria-label={section.section}>
      {[...root.inner.values()].slice(0, 500).map((node) => {
        const shown = joined(node, separator, fromEnd);
        return (
          <Branch
            key={shown.name}
            node={shown}
            section={section}
            selected={selected}
            depth={0}
            onSelect={onSelect}
          />
        );
      })}
    </ul>
  );
}
