import { failureOf, type Failure } from '../answer/failure.js';
import { writeJson } from '../schema/write-json.js';
import type { FragmentPart, ItemsPart, Part } from './parts.js';
import { Splitter } from './splitter.js';
import type { DeliverableResult } from './untyped-result.js';

/**
 * How parts are written: `v0.2` names each by an id that was announced (the proposal of today, as graphql-js 17 has it),
 * `20220824` by its path and label.
 */
export type IncrementalFormat = 'v0.2' | '20220824';

type Steps<T> = Generator<undefined, T>;

/** What of a result comes once, with the first payload. */
export interface FirstResult {
  readonly errors: readonly Failure[];
  readonly extensions?: unknown;
}

/** One payload while it is made. */
interface Payload {
  data?: unknown;
  errors?: readonly Failure[];
  extensions?: unknown;
  pending?: object[];
  incremental?: object[];
  completed?: object[];
  hasNext?: boolean;
}

/**
 * The payloads of a result, as JSON, in order; only one, in the form of any result, when nothing of it comes later.
 */
export function* writePayloads(
  result: DeliverableResult,
  { errors, extensions }: FirstResult,
  format: IncrementalFormat,
): Steps<string[]> {
  const splitter = new Splitter(result, errors.length > 0);
  const first: Payload = { data: yield* splitter.first() };
  const writer = format === 'v0.2' ? new IdWriter(splitter) : new PathWriter(splitter);
  const later: { readonly part: Part; readonly payloads: Payload[] }[] = [];
  writer.begin(first);
  // Taking one may find more.
  for (let index = 0; index < splitter.parts.length; index += 1) {
    const part = splitter.parts[index];
    if (part !== undefined && hasContent(part) && !isLost(part))
      later.push({ part, payloads: yield* writer.take(part) });
  }
  const own = splitter.sort(errors);
  for (const { part, payloads } of later) writer.complete(part, payloads);
  if (own.length > 0) first.errors = own;
  if (extensions !== undefined) first.extensions = extensions;
  const all = [first, ...later.flatMap(({ payloads }) => payloads)];
  if (all.length > 1) all.forEach((payload, index) => (payload.hasNext = index < all.length - 1));
  const texts: string[] = [];
  for (const { data, errors: failures, ...more } of all) {
    const ordered = { ...(failures && { errors: failures }), ...(data !== undefined && { data }), ...more };
    texts.push(yield* writeJson(ordered));
  }
  return texts;
}

function hasContent(part: Part): boolean {
  return part.type === 'items' || part.pieces.size > 0 || part.failure !== undefined;
}

/** Whether a fragment around it failed, which takes away what stands in it. */
function isLost({ after }: Part): boolean {
  for (let each = after; each !== undefined; each = each.after)
    if (each.type === 'fragment' && each.failure !== undefined) return true;
  return false;
}

/** Writes the payloads of one format. */
interface PartWriter {
  /** Tells of the parts that come after the first payload. */
  begin(first: Payload): void;
  /** The payloads that bring a part; its errors are not known yet. */
  take(part: Part): Steps<Payload[]>;
  /** Adds the errors of a part. */
  complete(part: Part, payloads: readonly Payload[]): void;
}

class IdWriter implements PartWriter {
  readonly #splitter: Splitter;
  readonly #ids = new Map<Part, string>();
  readonly #done = new Set<Part>();
  /** Parts that wait for another one. */
  readonly #waiting = new Map<Part, Part[]>();

  constructor(splitter: Splitter) {
    this.#splitter = splitter;
  }

  begin(first: Payload): void {
    this.#announce(first, this.#splitter.takeFresh());
  }

  *take(part: Part): Steps<Payload[]> {
    const payloads = yield* part.type === 'items' ? this.#takeItems(part) : this.#takeFragment(part);
    this.#done.add(part);
    const waiting = this.#waiting.get(part) ?? [];
    this.#waiting.delete(part);
    this.#announce(payloads.at(-1) ?? {}, [...waiting, ...this.#splitter.takeFresh()]);
    return payloads;
  }

  complete(part: Part, payloads: readonly Payload[]): void {
    const id = this.#ids.get(part);
    const { failure, errors } = part;
    const last = payloads.at(-1);
    if (last !== undefined)
      last.completed = [{ id, ...(failure === undefined ? {} : { errors: [failureOf(failure)] }) }];
    addErrors(payloads, errors);
  }

  /** Tells of parts that a payload has made possible. */
  #announce(payload: Payload, parts: readonly Part[]): void {
    for (const part of parts) {
      if (this.#ids.has(part) || isLost(part)) continue;
      // A fragment without fields of its own comes with the one around it.
      let needed = part.after;
      while (needed !== undefined && !hasContent(needed)) needed = needed.after;
      if (needed !== undefined && !this.#done.has(needed)) {
        const waiting = this.#waiting.get(needed);
        if (waiting === undefined) this.#waiting.set(needed, [part]);
        else waiting.push(part);
        continue;
      }
      const { path, label } = part;
      const id = String(this.#ids.size);
      this.#ids.set(part, id);
      (payload.pending ??= []).push({ id, path, ...(label === undefined ? {} : { label }) });
    }
  }

  *#takeFragment(part: FragmentPart): Steps<Payload[]> {
    if (part.failure !== undefined) return [{}];
    const id = this.#ids.get(part);
    const pieces = yield* this.#splitter.pieces(part);
    const incremental = pieces.map(({ path, data }) => {
      const subPath = path.slice(part.path.length);
      return { id, ...(subPath.length > 0 ? { subPath } : {}), data };
    });
    return [{ incremental }];
  }

  *#takeItems(part: ItemsPart): Steps<Payload[]> {
    const id = this.#ids.get(part);
    const payloads: Payload[] = [];
    for (let index = 0; index < part.items.length; index += 1)
      payloads.push({ incremental: [{ id, items: [yield* this.#splitter.item(part, index)] }] });
    if (part.items.length === 0 || part.failure !== undefined) payloads.push({});
    return payloads;
  }
}

class PathWriter implements PartWriter {
  readonly #splitter: Splitter;

  constructor(splitter: Splitter) {
    this.#splitter = splitter;
  }

  begin(): void {
    // Nothing tells of parts before they come.
  }

  *take(part: Part): Steps<Payload[]> {
    const { path } = part;
    const label = part.label === undefined ? {} : { label: part.label };
    const failure = part.failure === undefined ? {} : { errors: [failureOf(part.failure)] };
    if (part.type === 'items') {
      const payloads: Payload[] = [];
      for (let index = 0; index < part.items.length; index += 1) {
        const items = [yield* this.#splitter.item(part, index)];
        payloads.push({ incremental: [{ items, path: [...path, part.start + index], ...label }] });
      }
      if (part.failure !== undefined)
        payloads.push({
          incremental: [
            { items: null, path: [...path, part.start + part.items.length], ...label, ...failure },
          ],
        });
      return payloads;
    }
    if (part.failure !== undefined) return [{ incremental: [{ data: null, path, ...label, ...failure }] }];
    // So that what stands in it is found.
    yield* this.#splitter.pieces(part);
    return [{ incremental: [{ data: yield* this.#splitter.whole(part), path, ...label }] }];
  }

  complete({ errors }: Part, payloads: readonly Payload[]): void {
    addErrors(payloads, errors);
  }
}

/** Puts the errors of a part to the first thing that it brings. */
function addErrors([payload]: readonly Payload[], errors: readonly Failure[]): void {
  const [first] = payload?.incremental ?? [];
  if (first !== undefined && errors.length > 0) Object.assign(first, { errors });
}
