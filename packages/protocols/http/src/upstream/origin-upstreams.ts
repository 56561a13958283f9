import { invalid, readUpstream, type Upstream } from '@backlot/core/plugin';
import { HTTP_UPSTREAMS } from './http-upstreams.js';
import { find, plain } from '../proxy/host-rules.js';
import { authorityOf, type Origin } from '../proxy/origin.js';
import type { ProxySettings } from '../schemas/proxy.js';

/** What an upstream of the kind says about those of its proxy. */
type Template = Pick<Upstream, 'mode' | 'ca' | 'verify'>;

/** The upstreams of requests to a proxy: the servers that they are for, or those that stand for them. */
export class OriginUpstreams {
  readonly #template: Template;
  readonly #servers: ReadonlyMap<string, Upstream>;

  /** @throws BacklotError `invalid` for an url that is none */
  constructor(settings: ProxySettings, { mode, ca, verify }: Template) {
    const template = { mode, ca, verify };
    this.#template = template;
    this.#servers = new Map(
      Object.entries(settings.servers ?? {}).map(([host, url]) => [
        plain(host),
        readServer(host, url, template),
      ]),
    );
  }

  /** The upstream of a request for a server. */
  of(origin: Origin): Upstream {
    const { host, port, isSecure } = origin;
    const instead = find(this.#servers, host);
    if (instead !== undefined) return instead;
    return {
      ...{ url: `${isSecure ? 'https' : 'http'}://${authorityOf(origin)}`, host, port, isSecure, path: '' },
      ...{ isOpen: true, isDecoded: true, startsTls: false, ...this.#template },
    };
  }
}

function readServer(host: string, url: string, template: Template): Upstream {
  try {
    const read = readUpstream(HTTP_UPSTREAMS, { url, mode: template.mode });
    if (read === undefined) throw new Error('it has no url');
    return read.isSecure ? { ...read, ca: template.ca, verify: template.verify } : read;
  } catch (thrown) {
    throw invalid(`proxy/servers/${host}: ${(thrown as Error).message.replace(/^upstream\/url: /, '')}`, [
      {
        path: `/servers/${host.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        message: (thrown as Error).message,
      },
    ]);
  }
}
