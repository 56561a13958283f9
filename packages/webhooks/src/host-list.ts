/** Whether a url's host may be called. */
export type HostList = (url: URL) => boolean;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Compiles `allow_hosts`; without a list every host may be called. */
export function compileHostList(entries: readonly string[] | undefined): HostList {
  if (entries === undefined) return () => true;
  const tests = entries.map(compileEntry);
  return (url) => {
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
    return tests.some((test) => test(url.hostname, port));
  };
}

function compileEntry(entry: string): (hostname: string, port: string | undefined) => boolean {
  const [, given = '', wantedPort] =
    /^(.*?)(?::(\d+))?$/s.exec(isBareIpv6(entry) ? `[${entry}]` : entry) ?? [];
  const wanted = normalize(given);
  const matches = wanted.startsWith('*.')
    ? (hostname: string) => hostname.endsWith(wanted.slice(1)) && hostname.length >= wanted.length
    : (hostname: string) => hostname === wanted;
  return (hostname, port) => matches(hostname) && (wantedPort === undefined || wantedPort === port);
}

function isBareIpv6(entry: string): boolean {
  return !entry.startsWith('[') && entry.split(':').length > 2;
}

/** Writes a host as urls have it: lower case, punycode, addresses in their short form. */
function normalize(host: string): string {
  const isBelow = host.startsWith('*.');
  const url = `http://${isBelow ? host.slice(2) : host}/`;
  const name = URL.canParse(url) ? new URL(url).hostname : host.toLowerCase();
  return isBelow ? `*.${name}` : name;
}
