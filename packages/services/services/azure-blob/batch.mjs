import { BlobError, invalidHeader } from './errors.mjs';

const MOST = 256;
const REASONS = {
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
};

/** Calls within one body, each answered by itself: deletions, and changes of the tier. */
export async function batch(call, perform) {
  const { request, base } = call;
  const boundary = /boundary=("?)([^";]+)\1/.exec(request.headers['content-type'] ?? '')?.[2];
  if (boundary === undefined) throw invalidHeader('Content-Type', request.headers['content-type']);
  const parts = String(request.raw_body ?? '')
    .split(`--${boundary}`)
    .slice(1, -1);
  if (parts.length === 0 || parts.length > MOST)
    throw new BlobError(400, 'InvalidInput', `A batch has from 1 to ${MOST} requests.`);
  const mark = `batchresponse_${call.store.uuid()}`;
  let body = '';
  for (const part of parts) {
    const id = /^Content-ID: *(\d+)/im.exec(part)?.[1];
    const [, method, target] = /^(DELETE|PUT) (\S+) HTTP\/1\.1\s*$/m.exec(part) ?? [];
    if (target === undefined)
      throw new BlobError(400, 'InvalidInput', 'A request of a batch is DELETE or PUT with a path.');
    const lines = part.slice(part.indexOf(' HTTP/1.1')).split(/\r?\n/).slice(1);
    const headers = Object.fromEntries(
      lines
        .filter((line) => line.includes(':'))
        .map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
        }),
    );
    if (!URL.canParse(target, 'http://localhost'))
      throw new BlobError(400, 'InvalidInput', `The path of a request of a batch is not valid: ${target}`);
    const url = new URL(target, 'http://localhost');
    const path = url.pathname.startsWith(base) ? url.pathname : `${base}${url.pathname}`;
    const inner = {
      method,
      path,
      query: Object.fromEntries(url.searchParams),
      scheme: request.scheme,
      host: request.host,
      headers: { host: request.host, ...headers },
    };
    const made = await perform(inner);
    const status = made.status ?? 200;
    const shown = Object.entries(made.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
    body += `--${mark}\r\nContent-Type: application/http\r\n${id === undefined ? '' : `Content-ID: ${id}\r\n`}\r\n`;
    body += `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\n${shown.join('')}\r\n${made.body ?? ''}\r\n`;
  }
  return {
    status: 202,
    headers: { 'Content-Type': `multipart/mixed; boundary=${mark}` },
    body: `${body}--${mark}--`,
  };
}
