import type { DelaySource } from '@backlot/core/plugin';
import type { HttpMock } from './schemas.js';
import type { ResponseDefinition } from './schemas/response.js';

type Headers = Readonly<Record<string, string | readonly string[] | null>>;

/** The fields of PATCH; `null` takes a field away. */
interface PatchFields {
  readonly status?: number | null;
  readonly headers?: Headers | null;
  readonly body?: string | null;
  readonly json?: unknown;
  readonly body_base64?: string;
  readonly delay?: DelaySource | null;
}

type Answered = Omit<ResponseDefinition, 'stream'>;

/**
 * Applies PATCH: to the response, and to every entry of a sequence that there is, so that the patched mock answers
 * as patched whichever call it is.
 */
export function applyPatch(mock: HttpMock, patch: Readonly<Record<string, unknown>>): unknown {
  const { response: inner, ...flat } = patch as PatchFields & { readonly response?: PatchFields };
  const fields: PatchFields = { ...inner, ...flat };
  const headers = inner?.headers && flat.headers ? { ...inner.headers, ...flat.headers } : fields.headers;
  const all: PatchFields = headers === undefined ? fields : { ...fields, headers };
  const { delay: _delay, ...rest } = mock as HttpMock & { readonly delay?: DelaySource };
  return {
    ...(all.delay === undefined ? mock : rest),
    response: patchAnswer(mock.response ?? {}, all),
    ...(mock.sequence === undefined
      ? {}
      : { sequence: mock.sequence.map((entry) => patchAnswer(entry, all)) }),
  };
}

function patchAnswer<T extends Answered>(answer: T, patch: PatchFields): object {
  const { status, headers, body, json, body_base64: base64, delay, ...others } = answer;
  const isReplaced = patch.body !== undefined || patch.json !== undefined || patch.body_base64 !== undefined;
  // Of a JSON value `null` is a value, and its own field takes none away.
  const content = isReplaced
    ? { json: patch.json, body_base64: patch.body_base64 }
    : { json, body_base64: base64 };
  const patched: [string, unknown][] = [
    ['status', patch.status === undefined ? status : patch.status],
    [
      'headers',
      patch.headers === undefined
        ? headers
        : patch.headers === null
          ? null
          : mergeHeaders(headers ?? {}, patch.headers),
    ],
    ['body', isReplaced ? patch.body : body],
    ['delay', patch.delay === undefined ? delay : patch.delay],
  ];
  return {
    ...Object.fromEntries(patched.filter(([, value]) => value !== undefined && value !== null)),
    ...Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined)),
    ...others,
  };
}

/** Names compare without case; the patch's own spelling stays. */
function mergeHeaders(under: Exclude<Answered['headers'], undefined>, over: Headers): object {
  const names = new Set(Object.keys(over).map((name) => name.toLowerCase()));
  return Object.fromEntries([
    ...Object.entries(under).filter(([name]) => !names.has(name.toLowerCase())),
    ...Object.entries(over).filter(([, value]) => value !== null),
  ]);
}
