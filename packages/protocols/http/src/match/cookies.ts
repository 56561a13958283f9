import { plainRecord } from '@backlot/kit/http';

/** Reads a `cookie` header (RFC 6265, section 4.2); of a name that comes twice the first counts. */
export function parseCookies(
  header: string | readonly string[] | undefined,
): Readonly<Record<string, string>> {
  const cookies = plainRecord<string>();
  if (typeof header !== 'string') return cookies;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    cookies[name] ??= decode(
      value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value,
    );
  }
  return cookies;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
