import type { IncomingHttpHeaders } from 'node:http';

const KEY = /^[0-9a-z_.-]+$/;
const TEXT = /^[\x20-\x7e]*$/;

/** Takes away what grpc-js would stumble over: it complains on the console about metadata that cannot be. */
export function cleanHeaders(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (name.startsWith(':')) continue;
    const value = headers[name];
    const isLegal =
      KEY.test(name) &&
      (name.endsWith('-bin') || (typeof value === 'string' ? isText(value) : (value ?? []).every(isText)));
    if (!isLegal) delete headers[name];
  }
}

function isText(value: string): boolean {
  return TEXT.test(value);
}
