import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Filter } from '../lib/entries.js';
import { isPaused, rows, version } from '../lib/timeline.js';
import { KindName } from '../parts/mark.js';

/** How many seconds the lanes show. */
const SECONDS = 60;
const BINS = 120;
const HEIGHT = 22;

interface Given {
  readonly kinds: readonly string[];
  readonly filter: Filter;
  readonly onChoose: (kind: string) => void;
}

interface Lane {
  readonly all: Int32Array;
  readonly unmatched: Int32Array;
  readonly faults: Int32Array;
}

function count(kinds: readonly string[], now: number): Map<string, Lane> {
  const lanes = new Map(
    kinds.map((kind) => [
      kind,
      { all: new Int32Array(BINS), unmatched: new Int32Array(BINS), faults: new Int32Array(BINS) },
    ]),
  );
  const from = now - SECONDS * 1000;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined || row.at < from) break;
    const bin = Math.min(BINS - 1, Math.floor(((row.at - from) / (SECONDS * 1000)) * BINS));
    const lane = lanes.get(row.protocol);
    if (lane === undefined) continue;
    lane.all[bin] = (lane.all[bin] ?? 0) + 1;
    if (row.unmatched) lane.unmatched[bin] = (lane.unmatched[bin] ?? 0) + 1;
    if (row.fault) lane.faults[bin] = (lane.faults[bin] ?? 0) + 1;
  }
  return lanes;
}

/** Draws a lane, in the colours that the style sheet gives the canvas: a bar for each half second, a notch below it where something did not match, one above it for a fault. */
function draw(canvas: HTMLCanvasElement, lane: Lane): void {
  const ratio = devicePixelRatio;
  const width = canvas.clientWidth;
  canvas.width = Math.round(width * ratio);
  canvas.height = HEIGHT * ratio;
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const style = getComputedStyle(canvas);
  pen.scale(ratio, ratio);
  pen.clearRect(0, 0, width, HEIGHT);
  const step = width / BINS;
  for (let bin = 0; bin < BINS; bin += 1) {
    const all = lane.all[bin] ?? 0;
    if (all === 0) continue;
    const size = Math.min(HEIGHT - 8, 3 + Math.log2(all + 1) * 2.4);
    pen.fillStyle = style.color;
    pen.fillRect(bin * step, HEIGHT - 4 - size, Math.max(1.5, step - 1), size);
    if ((lane.unmatched[bin] ?? 0) > 0) {
      pen.fillStyle = style.outlineColor;
      pen.fillRect(bin * step, HEIGHT - 3, Math.max(1.5, step - 1), 3);
    }
    if ((lane.faults[bin] ?? 0) > 0) {
      pen.fillStyle = style.caretColor;
      pen.fillRect(bin * step, 0, Math.max(1.5, step - 1), 3);
    }
  }
}

/** One lane per kind: what came in the last minute. A click shows that kind alone. */
export function Lanes({ kinds, filter, onChoose }: Given): JSX.Element {
  const canvases = useRef(new Map<string, HTMLCanvasElement>());
  const counts = useRef(new Map<string, HTMLElement>());
  const names = kinds.join();
  useEffect(() => {
    let drawn = -1;
    let at = 0;
    const redraw = (): void => {
      const now = Date.now();
      if (isPaused.value || (drawn === version.value && now - at < 500)) return;
      drawn = version.value;
      at = now;
      // The clock of the server may be another one than that of this machine: the newest row is as new as now, at least.
      const newest = rows.at(-1)?.at ?? now;
      const lanes = count(kinds, Math.abs(newest - now) < SECONDS * 1000 ? Math.max(now, newest) : newest);
      for (const [kind, lane] of lanes) {
        const canvas = canvases.current.get(kind);
        if (canvas !== undefined) draw(canvas, lane);
        const shown = counts.current.get(kind);
        if (shown !== undefined) shown.textContent = String(lane.all.reduce((sum, each) => sum + each, 0));
      }
    };
    redraw();
    const timer = setInterval(redraw, 250);
    return () => clearInterval(timer);
  }, [names]);
  return (
    <div class="lanes" role="group" aria-label="The last minute by protocol">
      {kinds.map((kind) => {
        const isChosen = filter.protocols.has(kind);
        return (
          <button
            key={kind}
            type="button"
            class="lane"
            aria-pressed={isChosen}
            title={isChosen ? 'Show all protocols' : 'Show this protocol alone'}
            onClick={() => onChoose(kind)}
          >
            <KindName kind={kind} />
            <canvas
              aria-hidden="true"
              ref={(element) => {
                if (element === null) canvases.current.delete(kind);
                else canvases.current.set(kind, element);
              }}
            />
            <span
              class="count"
              ref={(element) => {
                if (element === null) counts.current.delete(kind);
                else counts.current.set(kind, element);
              }}
            >
              0
            </span>
          </button>
        );
      })}
    </div>
  );
}
