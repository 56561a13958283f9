import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Given<Item> {
  readonly items: readonly Item[];
  /** The height of each row, in pixels. */
  readonly height: number;
  readonly label: string;
  readonly idOf: (item: Item) => string;
  readonly selected: string | undefined;
  readonly onSelect: (item: Item) => void;
  readonly row: (item: Item) => JSX.Element;
  /** Which rows are marked beside the selected one. */
  readonly marked?: ReadonlySet<string>;
  /** Marks a row, or all as far as it. */
  readonly onMark?: (item: Item, range: boolean) => void;
  /** Whether the list stays at its end as rows come, when it is there. */
  readonly follows?: boolean;
}

/** Rows beyond the edge that are there all the same, so that fast scrolling shows no gaps. */
const SPARE = 12;

/** A list of rows of one height, of which those that can be seen exist. */
export function Rows<Item>({
  items,
  height,
  label,
  idOf,
  selected,
  onSelect,
  row,
  marked,
  onMark,
  follows = false,
}: Given<Item>): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const scrolled = useRef(0);
  const [size, setSize] = useState(600);
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => setSize(element.clientHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [items.length, follows]);
  // At the end the place is known before the browser has scrolled there, so that rows that come are drawn once.
  const top = follows && isAtEnd.current ? Math.max(0, items.length * height - size) : scrolled.current;
  const first = Math.max(0, Math.floor(top / height) - SPARE);
  const last = Math.min(items.length, Math.ceil((top + size) / height) + SPARE);
  const shown = items.slice(first, last);
  const select = (index: number): void => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))];
    if (item === undefined) return;
    onSelect(item);
    const element = box.current;
    const at = items.indexOf(item) * height;
    if (element === null) return;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + height > element.scrollTop + element.clientHeight)
      element.scrollTop = at + height - element.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = items.findIndex((item) => idOf(item) === selected);
    const page = Math.max(1, Math.floor(size / height) - 1);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(to);
  };
  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      aria-multiselectable={onMark === undefined ? undefined : true}
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={selected === undefined ? undefined : `row-${selected}`}
      onScroll={(event) => {
        const element = event.currentTarget;
        const wasAtEnd = isAtEnd.current;
        isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
        scrolled.current = element.scrollTop;
        if (!follows || !isAtEnd.current || !wasAtEnd) draw((old) => old + 1);
      }}
      onKeyDown={onKeyDown}
    >
      <svg class="space" width="1" height={items.length * height} aria-hidden="true" />
      <div
        class="shown"
        ref={(element) => element?.style.setProperty('transform', `translateY(${first * height}px)`)}
      >
        {shown.map((item, index) => {
          const id = idOf(item);
          return (
            <div
              key={id}
              id={`row-${id}`}
              class="row"
              role="option"
              aria-selected={id === selected || marked?.has(id) === true}
              aria-current={id === selected ? 'true' : undefined}
              aria-setsize={items.length}
              aria-posinset={first + index + 1}
              onMouseDown={(event) => {
                // What is between two clicks is marked as rows, not as text.
                if (event.shiftKey) event.preventDefault();
              }}
              onClick={(event) => {
                if (onMark !== undefined && (event.shiftKey || event.ctrlKey || event.metaKey))
                  onMark(item, event.shiftKey);
                else onSelect(item);
              }}
            >
              {row(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
