import { expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { useBacklot } from '@backlot/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const TOP = join(dirname(fileURLToPath(import.meta.url)), '..', 'services');
const SERVICES = readdirSync(TOP);
const backlot = useBacklot({ protocols: [http], services: SERVICES });

interface Header {
  readonly path: string;
  readonly hosts?: readonly string[];
}

const headerOf = (service: string): Header =>
  (parse(readFileSync(join(TOP, service, 'service.yaml'), 'utf8')) as { readonly service: Header }).service;

/** What says what is known: the service itself, or for S3, where any path may be an object, the methods. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  aws: /^GET, HEAD, PUT, POST, DELETE</,
  'aws-s3': /^GET, HEAD, PUT, POST, DELETE</,
  'azure-blob': /paths begin with \/azure-blob\/devstoreaccount1\//,
};
/** Who lets in by a handshake of the connection, before anything is told; its own tests see what then is. */
const SHUT = ['ntlm'];

interface Answer {
  readonly status: number;
  readonly allow: string;
  readonly text: string;
}

/** Asks under a host name, which need not be known to this machine. */
function ask(path: string, host = 'localhost'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ port: backlot.http.port, path, method: 'PATCH', headers: { host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, allow: answer.headers.allow ?? '', text });
      });
    })
      .on('error', reject)
      .end();
  });
}

// All of them stand on one port, so that a path or a host of one that another one takes is seen here.
it.each(SERVICES)(
  '%s tells an unknown path below its path and under its hosts what it knows',
  async (service) => {
    const { path, hosts = [] } = headerOf(service);
    const answers = [await ask(`${path}/v0/nowhere/at/all`)];
    for (const host of hosts) answers.push(await ask('/v0/nowhere/at/all', host.replace('*', 'photos')));
    for (const { status, allow, text } of answers) {
      if (SHUT.includes(service)) expect(status).toBe(401);
      else expect(allow + text).toMatch(KNOWN[service] ?? new RegExp(`service ${service} knows:? .{6}`));
    }
  },
);

it.each([
  '/kubernetes/api/v1/namespaces',
  '/elasticsearch/_cluster/health',
  '/google/storage/v1/b?project=backlot',
])('%s is the same with a slash behind it, as it is there', async (path) => {
  const headers = { authorization: 'Bearer backlot' };
  const read = async (url: string): Promise<unknown> => {
    const { pathname, search } = new URL(url, backlot.http.url);
    const answer = await fetch(backlot.http.url + pathname + search, { headers });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  expect(await read(path.replace(/(?=\?|$)/, '/'))).toEqual(await read(path));
});
