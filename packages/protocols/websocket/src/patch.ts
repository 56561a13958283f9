import type { DelaySource } from '@backlot/core/plugin';
import type { WebsocketFields } from './schemas.js';

interface PatchFields {
  readonly send?: string | readonly unknown[] | null;
  readonly delay?: DelaySource | null;
}

/** Applies PATCH to `on_connect`; its fields may stand flat, which wins, or under `on_connect`. `null` takes one away. */
export function applyPatch(mock: WebsocketFields, patch: Readonly<Record<string, unknown>>): unknown {
  const { on_connect: inner, ...flat } = patch as PatchFields & { readonly on_connect?: PatchFields };
  const fields: PatchFields = { ...inner, ...flat };
  const { json, ...others } = mock.on_connect ?? {};
  // A text takes the place of a JSON value.
  const before = json === undefined || fields.send !== undefined ? others : { ...others, json };
  const kept = Object.entries({ ...before, ...fields }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const { on_connect: _replaced, ...rest } = mock;
  return kept.length === 0 ? rest : { ...rest, on_connect: Object.fromEntries(kept) };
}
