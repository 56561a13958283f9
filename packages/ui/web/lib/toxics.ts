import { signal } from '@preact/signals';
import { space } from './address.js';

/** A toxic, as `GET /api/toxics/<kind>` has it. */
export interface Toxic {
  readonly name?: string;
  readonly type: string;
  readonly stream?: string;
  readonly toxicity?: number;
  readonly attributes?: Readonly<Record<string, number>>;
  readonly client?: string;
  readonly ttl?: string;
  readonly expires_at?: string;
}

/** A toxic that is switched off and kept by this page. */
interface Kept {
  readonly key: string;
  readonly kind: string;
  readonly space: string;
  readonly toxic: Toxic;
}

const kept = signal<readonly Kept[]>([]);

/** The name of a toxic, which it need not say. */
export function nameOf({ name, type, stream = 'downstream' }: Toxic): string {
  return name ?? `${type}_${stream}`;
}

/** What tells a toxic from those of all kinds. */
export function keyOf(kind: string, toxic: Toxic): string {
  return `${kind} ${nameOf(toxic)}`;
}

/** Keeps a toxic that is off, in place of one of the same name. */
export function keep(kind: string, toxic: Toxic): void {
  const key = keyOf(kind, toxic);
  const others = kept.value.filter((each) => each.key !== key || each.space !== space.value);
  kept.value = [...others, { key, kind, space: space.value, toxic }];
}

/** Forgets a toxic that is off. */
export function forget(key: string): void {
  kept.value = kept.value.filter((each) => each.key !== key || each.space !== space.value);
}

/** The toxics of a kind that are off, in the space that is shown. */
export function keptOf(kind: string): readonly Toxic[] {
  return kept.value
    .filter((each) => each.kind === kind && each.space === space.value)
    .map(({ toxic }) => toxic);
}
