import type { HttpMock, ResponseDefinition } from './schemas.js';

type Headers = Readonly<Record<string, string | readonly string[] | null>>;

/** The fields of PATCH; `null` takes a field away. */
interface PatchFields {
  readonly status?: number | null;
  readonly headers?: Headers | null;
  readonly body?: string | null;
  readonly delay?: string | null;
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
  const { delay: _delay, ...rest } = mock as HttpMock & { readonly delay?: string };
  return {
    ...(all.delay === undefined ? mock : rest),
    response: patchAnswer(mock.response ?? {}, all),
    ...(mock.sequence === undefined
      ? {}
      : { sequence: mock.sequence.map((entry) => patchAnswer(entry, all)) }),
  };
}

function patchAnswer<T extends Answered>(answer: T, patch: PatchFields): object {
  const { status, headers, body, delay, ...others } = answer;
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
    ['body', patch.body === undefined ? body : patch.body],
    ['delay', patch.delay === undefined ? delay : patch.delay],
  ];
  return {
    ...Object.fromEntries(patched.filter(([, value]) => value !== undefined && value !== null)),
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
