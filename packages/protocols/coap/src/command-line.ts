import { shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Sends a request again; Debian's client has no DTLS by this name, and none is needed. */
export const COMMAND: CommandDeclaration = {
  tool: 'coap-client-notls',
  write({ method, path, query = {}, body = '' }, { host, port }) {
    if (!/^(?:GET|PUT|POST|DELETE)$/.test(method)) return undefined;
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : value).map(
        (each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`,
      ),
    );
    const target = path.split('/').map(encodeURIComponent).join('/');
    const url = `coap://${host}:${port}${target}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
    const line = shellLine([
      'coap-client-notls',
      '-m',
      method.toLowerCase(),
      ...(body.length === 0 ? [] : ['-f', '-']),
      url,
    ]);
    return body.length === 0 ? line : `${shellPrint(body)} | ${line}`;
  },
};
