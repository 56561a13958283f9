import { shellLine, shellPrint, type CommandDeclaration } from '@backlot/core/plugin';

/** Takes, stores, lists or deletes a file again. */
export const COMMAND: CommandDeclaration = {
  tool: 'curl',
  write({ method, path, body = '' }, { host, port }) {
    const origin = `ftp://${host}:${port}`;
    // A path from the root begins with two slashes in such a url (RFC 1738, section 3.2.2).
    const url = `${origin}/${path.split('/').map(encodeURIComponent).join('/')}`;
    if (/[\r\n]/.test(path)) return undefined;
    switch (method) {
      case 'RETR':
        return shellLine(['curl', '-sS', url]);
      case 'STOR':
        return `${shellPrint(body)} | ${shellLine(['curl', '-sS', '-T', '-', url])}`;
      case 'LIST':
      case 'NLST':
        return shellLine([
          'curl',
          '-sS',
          ...(method === 'NLST' ? ['-l'] : []),
          url.endsWith('/') ? url : `${url}/`,
        ]);
      case 'DELE':
      case 'MKD':
      case 'RMD':
        return shellLine(['curl', '-sS', '-Q', `${method} ${path}`, origin]);
      default:
        return undefined;
    }
  },
};
