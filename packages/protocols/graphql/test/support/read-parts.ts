/** A payload of an answer in parts. */
export interface Payload {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly hasNext?: boolean;
  readonly pending?: readonly { readonly id: string; readonly path: Place; readonly label?: string }[];
  readonly incremental?: readonly {
    readonly id?: string;
    readonly path?: Place;
    readonly subPath?: Place;
    readonly data?: object | null;
    readonly items?: readonly unknown[] | null;
    readonly errors?: readonly unknown[];
  }[];
  readonly completed?: readonly { readonly id: string; readonly errors?: readonly unknown[] }[];
}

type Place = readonly (string | number)[];

/** The payloads of a body of `multipart/mixed` with the boundary `-`. */
export function readParts(text: string): Payload[] {
  return text
    .split(/\r\n---(?:--)?(?:\r\n|$)/)
    .filter((part) => part !== '')
    .map((part) => JSON.parse(part.slice(part.indexOf('\r\n\r\n'))) as Payload);
}

/** What a client has at the end: the data, where something was put off, what failed, and all errors. */
export function merge(payloads: readonly Payload[]): object {
  const places = new Map<string, { readonly path: Place; readonly label?: string }>();
  const root: { data: unknown } = { data: structuredClone(payloads[0]?.data ?? null) };
  const errors: unknown[] = [...(payloads[0]?.errors ?? [])];
  const pending: string[] = [];
  const failed: string[] = [];
  for (const payload of payloads) {
    for (const each of payload.pending ?? []) {
      places.set(each.id, each);
      pending.push(JSON.stringify([each.path, each.label]));
    }
    for (const { id = '', subPath = [], data, items, errors: own = [] } of payload.incremental ?? []) {
      const target = [...(places.get(id)?.path ?? []), ...subPath].reduce<unknown>(
        (value, key) => (value as Record<string | number, unknown>)[key],
        root.data,
      );
      if (data !== undefined) assign(target as object, data ?? {});
      if (items !== undefined) (target as unknown[]).push(...structuredClone(items ?? []));
      errors.push(...own);
    }
    for (const { id, errors: own } of payload.completed ?? [])
      if (own !== undefined) failed.push(JSON.stringify([places.get(id)?.path, own]));
  }
  const byText = (one: unknown, other: unknown): number =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
  return { data: root.data, errors: errors.sort(byText), pending: pending.sort(), failed: failed.sort() };
}

function assign(target: object, data: object): void {
  for (const [key, value] of Object.entries(structuredClone(data))) {
    const known = (target as Record<string, unknown>)[key];
    if (typeof known === 'object' && known !== null && typeof value === 'object' && value !== null)
      assign(known, value as object);
    else (target as Record<string, unknown>)[key] = value;
  }
}
