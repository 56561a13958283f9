import { signal } from '@preact/signals';
import { api } from './api.js';

/** A space, as `GET /api/spaces` has it. */
export interface Space {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly protocols: Readonly<Record<string, { readonly url: string }>>;
  readonly env: Readonly<Record<string, string>>;
}

/** The spaces that there are. */
export const spaces = signal<readonly Space[]>([]);

/** Asks for the spaces again. */
export async function refreshSpaces(): Promise<void> {
  spaces.value = await api<Space[]>('/api/spaces');
}
