import type { IncomingMessage } from 'node:http';
import type { HttpContext } from './shape.js';
import type { Incoming } from './wire/outgoing.js';

/** Which host names stand for paths. */
export class Mounts {
  readonly #paths = new Map<string, string>();
  /** The paths of all names below one, which is the key. */
  readonly #below = new Map<string, string>();

  constructor({ mounts = [] }: Pick<HttpContext['config'], 'mounts'>) {
    for (const { path, hosts = [] } of mounts) {
      for (const host of hosts) {
        const name = host.toLowerCase();
        if (name.startsWith('*.')) this.#below.set(name.slice(2), path);
        else this.#paths.set(name, path);
      }
    }
  }

  /**
   * Puts the path before that of a request, for everybody who reads it from now on.
   *
   * @param own - the path of the listener that the request came by; that of its host name counts when absent
   */
  place(request: Incoming, own: string | undefined): void {
    const path = this.of(request, own);
    if (path !== undefined) request.url = below(path, request.url ?? '/');
  }

  /** The path that is put before that of a request. */
  of(request: Incoming, own: string | undefined): string | undefined {
    return own ?? (this.#paths.size + this.#below.size === 0 ? undefined : this.#find(hostOf(request)));
  }

  /** The path of a host name: its own, else that of the longest name that it is below. */
  #find(host: string): string | undefined {
    const own = this.#paths.get(host);
    if (own !== undefined || this.#below.size === 0) return own;
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const path = this.#below.get(host.slice(dot + 1));
      if (path !== undefined) return path;
    }
    return undefined;
  }
}

function hostOf({ headers }: Incoming): string {
  // HTTP/2 has the name in a field of its own, and may have both (RFC 9113, section 8.3.1).
  const authority = headers[':authority'];
  const host =
    typeof authority === 'string' ? authority : ((headers as IncomingMessage['headers']).host ?? '');
  return host.replace(/:\d*$/, '').toLowerCase();
}

/** A target with a path before its own; of a whole url (RFC 9112, section 3.2.2) its path and query count. */
function below(path: string, target: string): string {
  const origin = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  if (origin === '*') return target;
  // A link that an answer has made is whole already.
  if (origin.startsWith(path) && /^[/?]?$/.test(origin.charAt(path.length))) return origin;
  return origin.startsWith('/') ? path + origin : `${path}/${origin}`;
}
