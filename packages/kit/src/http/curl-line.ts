import { shellLine, shellPrint, type CommandPlace, type Message } from '@backlot/core/plugin';

/** Headers that curl writes by itself, or that are about the connection of the first sender. */
const OWN = new Set([
  'host',
  'user-agent',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'accept-encoding',
  'expect',
  'upgrade',
  'http2-settings',
]);

/** What is sent by {@link curlLine}. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Message['headers'];
  readonly body?: string | Uint8Array | undefined;
}

/** The command line by which curl sends a request. */
export function curlLine({ method, url, headers = {}, body }: CurlRequest, { tls }: CommandPlace): string {
  const hasBody = body !== undefined && body.length > 0;
  const words = ['curl', '-sS', '-i', '--path-as-is', '-g'];
  if (tls) words.push('-k');
  if (method === 'HEAD') words.push('-I');
  else if (hasBody || method !== 'GET') words.push('-X', method);
  for (const [name, value] of Object.entries(headers)) {
    if (OWN.has(name) || name.startsWith(':')) continue;
    if (name === 'accept' && value === '*/*') continue;
    // A header without a value is taken out of the request, unless it ends with a semicolon.
    for (const each of typeof value === 'string' ? [value] : value)
      words.push('-H', each === '' ? `${name};` : `${name}: ${each}`);
  }
  if (hasBody && headers['content-type'] === undefined) words.push('-H', 'content-type;');
  if (hasBody) words.push('--data-binary', '@-');
  words.push(url);
  const line = shellLine(words);
  return hasBody ? `${shellPrint(body)} | ${line}` : line;
}
