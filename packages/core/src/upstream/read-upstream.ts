import { isIP } from 'node:net';
import type { Protocol } from '../contract/protocol.js';
import type { RecordingDeclaration, Upstream, UpstreamMode } from '../contract/upstream.js';
import { invalid } from '../errors.js';
import { isForbiddenAddress } from '../validation/forbidden-address.js';
import { show } from '../validation/messages.js';

/** The setting as it is given. */
export interface GivenUpstream {
  readonly url?: string;
  readonly mode: UpstreamMode;
  readonly ca?: string;
  readonly verify?: boolean;
}

/** What is read of a protocol to read its upstream. */
export type UpstreamOf = Pick<Protocol, 'kind' | 'recording'> & {
  readonly meta: Pick<Protocol['meta'], 'url' | 'transport'>;
};

/** The ports of schemes for which the URL standard leaves them out, so that they cannot be told from none. */
const STANDARD_PORTS: Readonly<Record<string, number>> = {
  'http://': 80,
  'ws://': 80,
  'https://': 443,
  'wss://': 443,
  'ftp://': 21,
};

/** Urls of any kind, by what carries it. */
const CLEAR = 'tcp://';
const SECURE = 'tls://';
const DATAGRAMS = 'udp://';

/**
 * Reads the setting `upstream` of a kind.
 *
 * @param settings - those of the kind, where one of them may let the url be left out
 * @returns `undefined` where nothing is behind the kind, as in the mode `replay`
 * @throws BacklotError `invalid` for what the kind does not have, or what is no url of a server
 */
export function readUpstream(
  { kind, meta, recording }: UpstreamOf,
  given: GivenUpstream | undefined,
  settings: object = {},
): Upstream | undefined {
  if (given === undefined) return undefined;
  const { mode, url, ca, verify } = given;
  const modes = modesOf(recording?.modes ?? []);
  if (!modes.includes(mode)) throw wrongAt('/mode', `${kind} has ${list(modes)}, got ${show(mode)}`);
  if (url === undefined) {
    if (mode === 'replay') return undefined;
    const { openWith } = recording ?? {};
    if (openWith === undefined) throw wrongAt('/url', `the mode ${mode} needs the url of the real server`);
    if (!Object.hasOwn(settings, openWith))
      throw wrongAt(
        '/url',
        `the mode ${mode} needs the url of the real server, or beside it the setting ${openWith}, with which each message says itself where it goes`,
      );
    const open = {
      url: '',
      host: '',
      port: 0,
      path: '',
      isSecure: false,
      isOpen: true,
      isDecoded: true,
      startsTls: false,
    };
    return { ...open, mode, ca, verify: verify ?? true };
  }
  const { host, port, path, isSecure, startsTls, scheme } = readUrl(url, meta, recording);
  if (!isSecure && !startsTls)
    for (const [name, value] of Object.entries({ ca, verify }))
      if (value !== undefined)
        throw wrongAt(`/${name}`, `stands only beside an url with TLS, which ${scheme} has not`);
  if (mode === 'replay') return undefined;
  const isDecoded = recording?.modes.includes(mode) === true;
  if (startsTls && !isDecoded)
    throw wrongAt(
      '/url',
      `${scheme} stands only beside a mode in which ${kind} reads what passes, got ${show(mode)}`,
    );
  return {
    ...{ url, host, port, isSecure, startsTls, isOpen: false, path },
    ...{ mode, ca, verify: verify ?? true, isDecoded },
  };
}

/** The modes that a kind has, where it declares these. */
export function modesOf(declared: readonly UpstreamMode[]): readonly UpstreamMode[] {
  return [
    'passthrough',
    ...declared.filter((mode) => mode !== 'passthrough' && mode !== 'replay'),
    ...(declared.some((mode) => mode !== 'passthrough') ? (['replay'] as const) : []),
  ];
}

function readUrl(
  url: string,
  meta: UpstreamOf['meta'],
  recording: RecordingDeclaration | undefined,
): Pick<Upstream, 'host' | 'port' | 'path' | 'isSecure' | 'startsTls'> & { readonly scheme: string } {
  const wrong = (problem: string): Error => wrongAt('/url', `${problem}, got ${show(withoutSecrets(url))}`);
  const own = /^[a-z][a-z0-9+.-]*:\/\//.exec(meta.url)?.[0];
  const { transport } = meta;
  const clear = [
    ...(transport === 'datagram' ? [] : [CLEAR]),
    ...(transport === 'stream' ? [] : [DATAGRAMS]),
    ...(own === undefined ? [] : [own]),
  ];
  const ownSecure = own === undefined || own === CLEAR ? [] : [own.replace('://', 's://')];
  const secure = transport === 'datagram' ? [] : [SECURE, ...ownSecure];
  const starting =
    recording?.startsTls === true && own !== undefined ? [own.replace('://', '+starttls://')] : [];
  const schemes = [...new Set([...clear, ...secure, ...starting])];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const scheme = parsed === undefined ? '' : `${parsed.protocol}//`;
  if (parsed === undefined || !schemes.includes(scheme) || parsed.hostname === '')
    throw wrong(`must be a url with a host and one of the schemes ${list(schemes)}`);
  if (parsed.username !== '' || parsed.password !== '')
    throw wrong('must have no user and password: clients send their own');
  if (parsed.search !== '' || parsed.hash !== '') throw wrong('must end with its path');
  const path = parsed.pathname.replace(/\/+$/, '');
  if (path !== '' && recording?.hasPath !== true) throw wrong('must have no path');
  const port = parsed.port === '' ? STANDARD_PORTS[scheme] : Number(parsed.port);
  if (port === undefined || port === 0) throw wrong('must have a port');
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && isForbiddenAddress(host))
    throw wrong('must not be a link-local or cloud metadata address');
  return {
    ...{ host, port, path, scheme },
    isSecure: secure.includes(scheme),
    startsTls: starting.includes(scheme),
  };
}

/** An url as errors show it: without a user, a password and what follows its path. */
function withoutSecrets(url: string): string {
  return url.replace(/^([^/]*\/\/|)[^]*@/, '$1...@').replace(/([?#])[^]+$/, '$1...');
}

function wrongAt(path: string, message: string): Error {
  return invalid(`upstream${path}: ${message}`, [{ path, message }]);
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
