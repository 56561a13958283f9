import type { Headers } from './messages.js';

/** What a client asks for by the header `Prefer` (RFC 7240), with the names that Prism has. */
export interface Preference {
  /** The status: `code=404`. */
  readonly code: number | undefined;
  /** The name of an example: `example=cat`. */
  readonly example: string | undefined;
  /** Whether the answer is made of the schema alone, another one each time: `dynamic=true`. */
  readonly isDynamic: boolean;
}

/** Reads the header `Prefer`; what it asks for otherwise is passed over, as the RFC says. */
export function readPreference(headers: Headers): Preference {
  const written = [headers['prefer'] ?? ''].flat().join(',').slice(0, 1000);
  const asked = new Map<string, string>();
  for (const part of written.split(/[,;]/)) {
    const match = /^\s*([\w-]+)\s*=\s*"?([^"]*?)"?\s*$/.exec(part);
    if (match?.[1] !== undefined && !asked.has(match[1].toLowerCase()))
      asked.set(match[1].toLowerCase(), match[2] ?? '');
  }
  const code = Number(asked.get('code'));
  return {
    code: Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined,
    example: asked.get('example'),
    isDynamic: asked.get('dynamic') === 'true',
  };
}

/** How much a client wants a content type by its header `Accept`; 0 for not at all. */
export function wanted(type: string, headers: Headers): number {
  const accept = [headers['accept'] ?? ''].flat().join(',').slice(0, 1000);
  if (accept.trim() === '') return 1;
  const plain = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  let best: { readonly precision: number; readonly quality: number } = { precision: -1, quality: 0 };
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const precision =
      range === plain ? 2 : range === `${plain.split('/', 1)[0] ?? ''}/*` ? 1 : range === '*/*' ? 0 : -1;
    if (precision <= best.precision) continue;
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    best = { precision, quality: Number.isNaN(quality) ? 1 : quality };
  }
  return best.quality;
}
