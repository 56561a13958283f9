import { plainRecord } from '@backlot/kit/http';

/** A URI in parts, for templates. */
export interface UriParts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly port: string;
  readonly params: Readonly<Record<string, string>>;
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Whether a text can be a Request-URI: an absolute URI without white space, brackets or control characters (RFC 3261 section 7.1). */
export function isUri(text: string): boolean {
  return SCHEME.test(text) && !/[\s<>"\u0000-\u001f\u007f]/.test(text);
}

/** Takes a URI to pieces (RFC 3261 section 19.1.1); what is not there is empty. */
export function readUri(uri: string): UriParts {
  const colon = uri.indexOf(':');
  const scheme = uri.slice(0, Math.max(colon, 0)).toLowerCase();
  const [plain = ''] = uri.slice(colon + 1).split('?', 1);
  const at = plain.indexOf('@');
  const [place = '', ...pairs] = plain.slice(at + 1).split(';');
  const portAt = place.lastIndexOf(':');
  const hasPort = portAt > place.lastIndexOf(']');
  const params = plainRecord<string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 0) params[pair.toLowerCase()] = '';
    else params[pair.slice(0, equals).toLowerCase()] = pair.slice(equals + 1);
  }
  const user = plain.slice(0, Math.max(at, 0)).split(':', 1)[0] ?? '';
  return {
    scheme,
    user: scheme === 'tel' ? place : user,
    host: scheme === 'tel' ? '' : hasPort ? place.slice(0, portAt) : place,
    port: hasPort ? place.slice(portAt + 1) : '',
    params,
  };
}
