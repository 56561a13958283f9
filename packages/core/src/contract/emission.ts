import type { Json } from './json.js';
import type { TObject } from './shape.js';

/**
 * What the service of a kind can send or make by itself, beside what it publishes and what is pushed into its open
 * streams: a trap, a mail. Reactions and `POST /api/emit/<kind>` use it.
 */
export interface EmissionDeclaration {
  /** One sentence for the documents: what is sent, and to whom. */
  readonly summary: string;
  /** The schema of what is given. */
  readonly schema: TObject;
  /** Some to show in documents. */
  readonly examples: readonly Json[];
}
