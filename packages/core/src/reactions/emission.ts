import { Type, type TObject } from '@sinclair/typebox';
import type { Json } from '../contract/given.js';
import type { Protocol } from '../contract/protocol.js';
import { WebhookSchema } from '../contract/webhook.js';
import { BacklotError, invalid } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import type { StreamStore } from '../stores/stream-store.js';
import { createValidator } from '../validation/validator.js';

/** What a kind can be made to send, or make. */
export interface Emission {
  readonly summary: string;
  readonly schema: TObject;
  readonly examples: readonly Json[];
}

const known = new WeakMap<Protocol, { readonly emission: Emission | undefined }>();

/** What a kind can be made to send: what it declares, publishes, or pushes into open streams; undefined for none. */
export function emissionOf(protocol: Protocol): Emission | undefined {
  let made = known.get(protocol);
  if (made === undefined) known.set(protocol, (made = { emission: makeEmission(protocol) }));
  return made.emission;
}

function makeEmission({ emits, publish, streams, meta }: Protocol): Emission | undefined {
  if (emits !== undefined) return emits;
  if (publish !== undefined) return publish;
  if (streams === undefined) return undefined;
  return {
    summary: `Pushes data into the open streams of ${meta.title}.`,
    schema: Type.Object(
      {
        to: Type.String({
          minLength: 1,
          description: 'The id of the mock that they are of, or of one stream.',
        }),
        data: streams.data,
      },
      { additionalProperties: false },
    ),
    examples: [],
  };
}

/** A webhook in place of what the kind itself sends: the history shows it under the name of the kind. */
export const WebhookEmissionSchema = Type.Object({ webhook: WebhookSchema }, { additionalProperties: false });

/**
 * Makes a kind send something now.
 *
 * @returns what became of it, as far as the kind says
 * @throws BacklotError `invalid` for what it does not take, `not_found` when it cannot send anything, `not_enabled`
 */
export async function emit(kind: KindHost, streams: StreamStore, message: unknown): Promise<Json> {
  const { protocol } = kind;
  const emission = emissionOf(protocol);
  if (emission === undefined) throw new BacklotError('not_found', `${kind.kind} sends nothing by itself`);
  if (kind.service === undefined) await kind.services.wake(kind.kind);
  const { service } = kind;
  if (service === undefined) throw new BacklotError('not_enabled', `${kind.kind} protocol not running`);
  const problems = createValidator(emission.schema).check(message);
  const [first] = problems;
  if (first !== undefined) throw invalid(`what ${kind.kind} sends ${first.path}: ${first.message}`, problems);
  const given = message as Json;
  if (protocol.emits !== undefined) {
    if (service.emit === undefined)
      throw new BacklotError(
        'internal',
        `the plugin of ${kind.kind} declares emits, and its service has none`,
      );
    return service.emit(given);
  }
  if (protocol.publish !== undefined) return kind.data.publish(given);
  let delivered = 0;
  for (const push of streams.pushes(kind.kind, String(given['to']), given['data'])) {
    push();
    delivered += 1;
  }
  return { status: 'pushed', delivered };
}
