import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { guardLookup, isForbiddenAddress } from '@backlot/core/plugin';

/** Bytes of one file. */
export const MOST_BYTES = 64 * 1024 * 1024;
/** Milliseconds of real time in which a file has to be there. */
const TIMEOUT = 20_000;
const MOST_REDIRECTS = 5;

const refuse = (address: string): Error =>
  new Error(`${address} is a link-local or cloud metadata address, from which nothing is read`);

const guarded = guardLookup(lookup, refuse);

/**
 * Reads a file by HTTP. Addresses that no webhook may go to are not asked, whichever name or redirect leads there.
 *
 * @throws when it is not there, is too long, or takes too long
 */
export async function fetchText(url: URL, redirects = MOST_REDIRECTS): Promise<string> {
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && isForbiddenAddress(address)) throw refuse(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`"${url.protocol}" is no protocol that files are read by; http: and https: are`);
  const answer = await ask(url);
  if (typeof answer === 'string') return answer;
  if (redirects === 0) throw new Error(`more than ${MOST_REDIRECTS} redirects`);
  return fetchText(answer, redirects - 1);
}

/** The text, or where it is instead. */
function ask(url: URL): Promise<string | URL> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.get : http.get;
    const request = send(
      url.href,
      { lookup: guarded, agent: false, signal: AbortSignal.timeout(TIMEOUT), headers: { Accept: '*/*' } },
      (response) => {
        const { statusCode = 0 } = response;
        const { location } = response.headers;
        if (statusCode >= 300 && statusCode < 400 && location !== undefined) {
          response.destroy();
          if (URL.canParse(location, url.href)) resolve(new URL(location, url.href));
          else reject(new Error(`it is redirected to "${location.slice(0, 200)}", which is no url`));
          return;
        }
        if (statusCode !== 200) {
          response.destroy();
          reject(new Error(`the answer has status ${statusCode}`));
          return;
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MOST_BYTES)
            response.destroy(new Error(`it is longer than ${MOST_BYTES / 1024 / 1024} MiB`));
          else chunks.push(chunk);
        });
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
        response.on('error', reject);
      },
    );
    request.on('error', (error) =>
      reject(error.name === 'TimeoutError' ? new Error(`no answer within ${TIMEOUT / 1000} s`) : error),
    );
  });
}
